/** Any value becomes small, harmless JSON for the log. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { maskLimits } from "./limits.ts";
import { maskFields } from "./mask-fields.ts";

test("values under names of secrets are masked, numbers and counts are not", () => {
	const masked = maskFields({
		headers: { Authorization: "Bearer x", Cookie: "a=b", accept: "json" },
		apiKey: "short",
		refresh_token: "short",
		accessToken: "short",
		credentials: { user: "ann", inner: "short" },
		password: "",
		maxTokens: 10,
		tokens: "many",
	});
	expect(masked).toEqual({
		headers: { Authorization: "…[masked]", Cookie: "…[masked]", accept: "json" },
		apiKey: "…[masked]",
		refresh_token: "…[masked]",
		accessToken: "…[masked]",
		credentials: "…[masked]",
		password: "",
		maxTokens: 10,
		tokens: "many",
	});
	expect(maskFields(new Headers({ "x-api-key": "short", accept: "json" }))).toEqual({
		"x-api-key": "…[masked]",
		accept: "json",
	});
});

test("an error keeps its message, cause and code, without the secrets in them", () => {
	const cause = new Error("401 for sk-ant-api03-Ab3dEf6hIj9kLm2nOp5qRs8t");
	const masked = maskFields(Object.assign(new Error("failed", { cause }), { code: "EFAIL" }));
	expect(masked).toMatchObject({
		name: "Error",
		message: "failed",
		code: "EFAIL",
		cause: { message: "401 for sk-a…[masked]" },
	});
});

test("cycles, hostile getters and unusual values become text", () => {
	const circle: Record<string, unknown> = {};
	circle.self = circle;
	expect(JSON.stringify(maskFields(circle))).toContain("[too deep]");
	const hostile = {
		get boom(): never {
			throw new Error("boom");
		},
	};
	expect(maskFields({ hostile, big: 1n, nan: Number.NaN, fn: () => 1, at: new Date(Number.NaN) })).toEqual({
		hostile: "[unreadable]",
		big: "1",
		nan: "NaN",
		fn: "[function]",
		at: "[invalid date]",
	});
	expect(maskFields(new Uint8Array(9))).toBe("[9 bytes]");
	expect(maskFields(new Map([["password", "x"]]))).toEqual({ password: "…[masked]" });
});

test("long texts, long lists and wide trees are cut with a note", () => {
	expect(maskFields("x".repeat(1_000_000))).toBe(
		`${"x".repeat(maskLimits.stringLength)}…[1000000 characters]`,
	);
	const list = maskFields(Array.from({ length: 1000 }, (_, index) => index)) as unknown[];
	expect(list).toHaveLength(maskLimits.entries + 1);
	expect(list.at(-1)).toBe(`[${1000 - maskLimits.entries} more]`);
	const wide = (depth: number): unknown =>
		depth === 0 ? "leaf" : Array.from({ length: 40 }, () => wide(depth - 1));
	expect(JSON.stringify(maskFields(wide(3))).length).toBeLessThan(maskLimits.nodes * 20);
});

test("no part of a secret that crosses the cut remains", () => {
	const secret = "sk-ant-api03-Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z";
	const masked = maskFields(`${"x ".repeat(maskLimits.stringLength / 2 - 5)}${secret}`);
	expect(masked).not.toContain("sk-ant");
});

test("any value becomes JSON", () => {
	fc.assert(
		fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true }), (value) => {
			expect(() => JSON.stringify(maskFields({ value }))).not.toThrow();
		}),
	);
});
