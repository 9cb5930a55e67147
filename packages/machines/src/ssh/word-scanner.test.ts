/** The end of an output is found wherever chunks are cut, and nothing is held back that cannot be part of it. */
import { expect, test } from "bun:test";

import { newWord, WordScanner } from "./word-scanner.ts";

test("every cut of an output gives the same bytes and the same end", () => {
	const word = newWord();
	const content = Buffer.from(`\0bytes ${word.slice(0, 20)} and ${word.slice(0, 31)}\n`);
	const all = Buffer.concat([content, Buffer.from(`${word} 7 stays /a b\nmore`)]);
	for (let cut = 0; cut <= all.length; cut++) {
		const scanner = new WordScanner(word);
		const parts = [scanner.push(all.subarray(0, cut)), scanner.push(all.subarray(cut))];
		expect(Buffer.concat(parts.map(({ data }) => data)).subarray(0, content.length)).toEqual(content);
		expect(parts.find(({ end }) => end)?.end).toEqual({ status: 7, rest: "stays /a b" });
	}
});

test("a short line is there at once", () => {
	expect(new WordScanner(newWord()).push(Buffer.from("ready\n")).data.toString()).toBe("ready\n");
});
