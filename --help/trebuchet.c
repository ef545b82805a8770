/* trebuchet.c - libtrebuchet 0.3.0, all of it: with trebuchet.h, the two files that a program
 * needs to read endgame tables. `make amalgamation` of Trebuchet makes them from its sources, where
 * changes are to be made. docs/building.md says how to compile them.
 *
 * C11 or C++17, with gcc or clang, and a system with threads.
 *
 * What to build, with -DNAME=0 or 1:
 *   TREB_ZSTD     tables of codec zstd and solved pawn endings; needs libzstd. 0 unless defined
 *   TREB_SYZYGY   Syzygy's tables. 1 unless defined
 *   TREB_SOLVED   solved pawn endings, which need zstd. As TREB_ZSTD unless defined
 *   TREB_HTTP     tables on a web server, by libtrebuchet-http. 0 unless defined
 * Files that need what is left out are refused with TREB_ERR_UNSUPPORTED.
 *
 * MIT License
 *
 * Copyright (c) 2026 The Trebuchet authors
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy
 * of this software and associated documentation files (the "Software"), to deal
 * in the Software without restriction, including without limitation the rights
 * to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
 * copies of the Software, and to permit persons to whom the Software is
 * furnished to do so, subject to the following conditions:
 *
 * The above copyright notice and this permission notice shall be included in all
 * copies or substantial portions of the Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
 * IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
 * FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
 * AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
 * LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
 * OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
 * SOFTWARE.
 */
#ifndef TREB_ZSTD
#define TREB_ZSTD 0
#endif
#ifndef TREB_HTTP
#define TREB_HTTP 0
#endif

/* All that the system has, unless the program wants POSIX alone, and files of any size. */
#ifndef _POSIX_C_SOURCE
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#ifdef __linux__
#define _DEFAULT_SOURCE
#endif
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif

/* Assertions are for those who change the library. */
#if !defined(TREB_DEBUG) && !defined(NDEBUG)
#define NDEBUG
#endif

#ifdef __cplusplus
/* C's atomic types in terms of C++. */
#include <atomic>
#define _Atomic(type) std::atomic<type>
using std::atomic_bool;
using std::atomic_compare_exchange_strong_explicit;
using std::atomic_fetch_add_explicit;
using std::atomic_init;
using std::atomic_load;
using std::atomic_load_explicit;
using std::atomic_store;
using std::atomic_store_explicit;
using std::atomic_thread_fence;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
#else
#include <stdatomic.h>
#endif

#if defined(__GNUC__)
#pragma GCC diagnostic push
#ifdef __cplusplus
/* C++ compilers warn of `{0}` and `{.name = value}`, in which C sets all that is not named to 0. */
#pragma GCC diagnostic ignored "-Wmissing-braces"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif
/* A local name of one file may be a name of another file. */
#pragma GCC diagnostic ignored "-Wshadow"
/* What a part that is left out would call. */
#pragma GCC diagnostic ignored "-Wunused-function"
#endif

#include "trebuchet.h"

