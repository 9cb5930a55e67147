/** The quality of the reader, on pages whose articles are marked. */
import { Readability } from "@mozilla/readability";
import { expect, test } from "bun:test";
import { parseHTML } from "linkedom";

import { convert } from "./convert.ts";
import { labelledPages, markdownText, score } from "./testing/labelled-pages.ts";

const pages = labelledPages();
const url = "https://example.org/a/page";

function mean(values: readonly number[]): number {
	return values.reduce((sum, value) => sum + value, 0) / values.length;
}

test("the article of a page is found, better than by Readability alone, and little beside it", async () => {
	const rows: { f1: number; peer: number; length: number }[] = [];
	for (const { html, article } of pages) {
		const { markdown } = await convert(html, { url, readability: true });
		const { document } = parseHTML(html);
		const plain = new Readability(document).parse();
		rows.push({
			f1: score(markdownText(markdown), article).f1,
			peer: score(plain?.textContent ?? "", article).f1,
			length: markdown.length / article.length,
		});
	}
	expect(rows.length).toBeGreaterThanOrEqual(40);
	expect(mean(rows.map(({ f1 }) => f1))).toBeGreaterThan(mean(rows.map(({ peer }) => peer)));
	expect(mean(rows.map(({ f1 }) => f1))).toBeGreaterThanOrEqual(0.96);
	expect(mean(rows.map(({ length }) => length))).toBeLessThanOrEqual(1.2);
});
