/*
 * Licence: as the shop's.
 */
#include "cart.h"
#include <stdio.h>

#define LIMIT 10
#define MAX(a, b) \
	((a) > (b) ? (a) : (b))

struct line;

/* One line. */
struct line {
	const char *sku;
	int count;
};

typedef struct cart {
	struct line *lines[LIMIT];
} cart_t;

enum state { OPEN, CLOSED };

static const char *names[] = { "a", "b" };
static int helper(struct line *line, int (*visit)(int));
struct line *first;

/*
 * Adds up the lines.
 */
static int total(const struct cart *cart,
		 int rate)
{
	int sum = 0, i;

	for (i = 0; i < LIMIT; i++)
		sum += cart->lines[i]->count * rate;
	return sum;
}

#ifdef DEBUG
/* Prints a line. */
void print_line(struct line *line)
{
	printf("%s %d\n", line->sku, line->count);
}
#else
# define print_line(line)
#endif

struct line **lines_of(struct cart *cart) { return cart->lines; }

int (*chosen(int which))(int)
{
	return which ? total : helper;
}

int main(int argc, char **argv) { return total(NULL, argc); }
