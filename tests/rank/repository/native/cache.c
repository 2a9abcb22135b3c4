#include "cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	char *key;
	char *value;
	struct entry *older;
	struct entry *newer;
};

struct cache {
	unsigned capacity;
	unsigned used;
	struct entry *newest;
	struct entry *oldest;
};

struct cache *cache_open(unsigned capacity)
{
	struct cache *cache = calloc(1, sizeof(*cache));

	if (!cache) {
		fprintf(stderr, "cache: cannot allocate %u entries\n", capacity);
		return NULL;
	}
	cache->capacity = capacity;
	return cache;
}

/* Find a page and make it the newest. */
const char *cache_lookup(struct cache *cache, const char *key)
{
	struct entry *entry;

	for (entry = cache->newest; entry; entry = entry->older)
		if (!strcmp(entry->key, key))
			return entry->value;
	return NULL;
}

/* Drop the page that was not asked for longest. */
void cache_evict_oldest(struct cache *cache)
{
	struct entry *gone = cache->oldest;

	if (!gone)
		return;
	cache->oldest = gone->newer;
	cache->used--;
	free(gone->key);
	free(gone);
}
