/* handler.h - the callbacks of the HTTP library. The first argument is the Server. */
#ifndef TREB_SERVER_HANDLER_H
#define TREB_SERVER_HANDLER_H

#include <microhttpd.h>

/* Called with the request line. Returns the state of the request. */
void *handler_begin(void *server, const char *target, struct MHD_Connection *connection);

/* Called with the headers, with each piece of the body, and once more after its end. */
enum MHD_Result handler_run(void *server, struct MHD_Connection *connection, const char *url,
                            const char *method, const char *version, const char *data, size_t *size,
                            void **request);

/* Called when the response has been sent or the connection is lost. */
void handler_end(void *server, struct MHD_Connection *connection, void **request,
                 enum MHD_RequestTerminationCode how);

/* Called when a connection is opened and when it is closed. */
void handler_connection(void *server, struct MHD_Connection *connection, void **context,
                        enum MHD_ConnectionNotificationCode what);

#endif
