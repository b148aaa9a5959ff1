/* SPDX-License-Identifier: Apache-2.0
 * The client of the local model, for any language that can call C. It needs the operating system
 * and nothing else. Link with libdiscreet_client.
 *
 *   discreet_client *me;
 *   discreet_client_open("memory", "10", &me);
 *   uint8_t report[4096];
 *   size_t size = sizeof report;
 *   if (discreet_client_report(me, survey, survey_size, "yes", report, &size) == 0) send(report,
 * size); else puts(discreet_client_error(me)); discreet_client_close(me);
 *
 * Every function returns 0, or one of the numbers below. A client holds a lock on its memory until
 * it is closed; it is for one thread.
 */
#ifndef DISCREET_CLIENT_H
#define DISCREET_CLIENT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DISCREET_EXPORT __attribute__((visibility("default")))

enum {
  DISCREET_OK = 0,
  DISCREET_BAD_INPUT = 2, /* the survey, the answer or the budget is off */
  DISCREET_REFUSED = 3,   /* the survey reveals more than it says */
  DISCREET_BUDGET = 4,    /* it would cost more than is left */
  DISCREET_WORLD = 5,     /* disk, entropy, a memory file that is damaged */
  DISCREET_ROOM = 6       /* the caller's room is too small; *size says what is needed */
};

typedef struct discreet_client discreet_client;

/* Opens the person's memory at `path`, or makes it with this lifetime budget ("10", in nats). The
 * budget may be NULL for a memory that exists; it can never be changed. *client is set also on
 * failure (unless memory ran out), for discreet_client_error; close it in any case. */
DISCREET_EXPORT int discreet_client_open(const char* path, const char* budget,
                                         discreet_client** client);

/* Answers a survey: writes a report of *size bytes. The survey's price is taken from the budget,
 * for good, before the report is handed out. The same survey again gives the same report, for
 * nothing; so does a second call after DISCREET_ROOM. */
DISCREET_EXPORT int discreet_client_report(discreet_client* client, const uint8_t* survey,
                                           size_t survey_size, const char* answer, uint8_t* report,
                                           size_t* size);

/* What answering this survey would cost, and what is left, in 10^-9 nats. */
DISCREET_EXPORT int discreet_client_price(discreet_client* client, const uint8_t* survey,
                                          size_t survey_size, uint64_t* price, uint64_t* left);

/* What went wrong in the last call; never NULL. */
DISCREET_EXPORT const char* discreet_client_error(const discreet_client* client);

DISCREET_EXPORT void discreet_client_close(discreet_client* client);

#ifdef __cplusplus
}
#endif

#endif
