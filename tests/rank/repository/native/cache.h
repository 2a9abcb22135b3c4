#ifndef HARBOR_CACHE_H
#define HARBOR_CACHE_H

/* A least-recently-used cache of rendered pages. */
struct cache;

struct cache *cache_open(unsigned capacity);
const char *cache_lookup(struct cache *cache, const char *key);
void cache_evict_oldest(struct cache *cache);

#endif
