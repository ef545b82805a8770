/* openapi.h - openapi.json, built in. */
#ifndef TREB_SERVER_OPENAPI_H
#define TREB_SERVER_OPENAPI_H

#include "server/asset.h"

/* The file of GET /v1/openapi.json. */
extern const Asset openapi_asset;

#endif
