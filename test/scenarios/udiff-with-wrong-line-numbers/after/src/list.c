#include <stdio.h>
#include <stdlib.h>

int main(void) {
	int n = 0;
	while (n < 10)
		n++;
}
