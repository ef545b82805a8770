/* asset_none.c - the page at "/" in a build without the real one (make PAGE=no). */
#include "server/asset.h"

static const char text[] =
    "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n<title>Trebuchet</title>\n"
    "<h1>Trebuchet</h1>\n"
    "<p>The server runs, but was built without its page (<code>make PAGE=no</code>). Programs can\n"
    "use it all the same:</p>\n<ul>\n"
    "<li><a href=\"v1/probe?fen=8/8/8/8/8/2k5/1q6/K7_w_-_-_0_1\">/v1/probe?fen=...</a></li>\n"
    "<li><a href=\"v1/tables\">/v1/tables</a></li>\n"
    "<li><a href=\"v1/openapi.json\">/v1/openapi.json</a> describes everything.</li>\n</ul>\n"
    "</html>\n";

const Asset server_assets[] = {
    {"/", "text/html; charset=utf-8", "\"no-page-1\"", (const unsigned char *)text, sizeof text - 1,
     NULL, 0},
    {NULL, NULL, NULL, NULL, 0, NULL, 0},
};
