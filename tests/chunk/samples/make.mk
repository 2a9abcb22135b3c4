# Builds the shop.
CC ?= gcc
CFLAGS := -O2 -Wall \
	-std=c11
SOURCES = $(wildcard *.c)

include config.mk

.PHONY: all clean

all: shop ## builds everything

# The program.
shop: $(SOURCES:.c=.o)
	$(CC) $(CFLAGS) -o $@ $^
	@echo done

ifeq ($(DEBUG),1)
CFLAGS += -g
endif

define greet
	@echo hello
endef

clean:
	rm -f shop *.o
