#!/usr/bin/env python3
"""estimates.py TREBUCHET: writes estimates.tsv beside it: the estimates of 'trebuchet plan' for each material of six men.

Times are for the machine of docs/six-men.md, not for this one."""
import json
import pathlib
import subprocess
import sys
import tempfile


def jobs(command, metrics, folder):
    plan = [command, "plan", "--json", "--metric", metrics, "--memory", "12GiB", "--tables", folder, "--men", "6"]
    answer = json.loads(subprocess.run(plan, capture_output=True, text=True, check=True).stdout)
    pace = answer["total"]["pace"]
    return {job["material"]: job | {"seconds": job["seconds"] / pace} for job in answer["jobs"]}


def main():
    with tempfile.TemporaryDirectory() as folder:
        every, two = (jobs(sys.argv[1], metrics, folder + "/none") for metrics in ("all", "wdl,dtz"))
    names = "material positions memory fast_from all_files all_seconds wdl_dtz_files wdl_dtz_seconds".split()
    rows, sums = ["\t".join(names)], [0] * 4
    for material, job in sorted(every.items()):
        if job["men"] < 6:
            continue
        few = two[material]
        costs = [job["result_bytes"], round(job["seconds"]), few["result_bytes"], round(few["seconds"])]
        sums = [a + b for a, b in zip(sums, costs)]
        rows.append("\t".join(map(str, [material, job["positions"], job["memory_bytes"], job["fast_memory_bytes"], *costs])))
    pathlib.Path(__file__).with_name("estimates.tsv").write_text("\n".join(rows) + "\n")
    print(f"{len(rows) - 1} materials: {sums[0] / 1e9:.0f} GB and {sums[1] / 3600:.0f} hours with all metrics, "
          f"{sums[2] / 1e9:.0f} GB and {sums[3] / 3600:.0f} hours with WDL and DTZ")


if __name__ == "__main__":
    main()
