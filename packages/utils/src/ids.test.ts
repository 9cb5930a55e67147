/** Identifiers have the shape that session files promise, and do not repeat. */
import { expect, test } from "bun:test";
import { shortId, uuidv7 } from "./ids.ts";

test("long ids sort by the time of their creation", () => {
	const ids = Array.from({ length: 1000 }, uuidv7);
	expect(ids.toSorted()).toEqual(ids);
	expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test("a short id has eight hex characters and is never one that is taken", () => {
	const refused: string[] = [];
	const id = shortId((candidate) => refused.length < 3 && refused.push(candidate) > 0);
	expect(id).toMatch(/^[0-9a-f]{8}$/);
	expect(refused).toHaveLength(3);
	expect(refused).not.toContain(id);
});

test("an id is found even when every short id is taken", () => {
	expect(shortId(() => true)).toMatch(/^[0-9a-f]{8}-/);
});
