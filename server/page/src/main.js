document.getElementById("app").textContent = "Trebuchet";
