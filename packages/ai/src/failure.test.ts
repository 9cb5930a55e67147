/** The error messages of providers, and the kind of failure that each is. */
import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { classify, failure } from "./failure.ts";
import refusals from "./fixtures/refusals.json" with { type: "json" };
import { limits } from "./limits.ts";

describe("a provider's message", () => {
	test.each(refusals.map((row) => [row.vendor, row.status, row.body, row] as const))(
		"%s %p %j",
		(_vendor, status, body, { kind, shown, wait, headers }) => {
			for (const form of [body, typeof body === "string" ? body : JSON.stringify(body)]) {
				const result = classify({
					...(status === undefined ? {} : { status }),
					headers: new Headers(Object.entries(headers ?? {})),
					body: form,
				});
				expect([result.kind, result.message]).toEqual([kind, expect.stringContaining(shown)]);
				expect(result.retryAfterMs).toBe(wait);
				if (status !== undefined && status >= 400) expect(result.status).toBe(status);
			}
		},
	);
});

test("a wait is read from the headers first, then from the message, and is never longer than a day", () => {
	const body = { error: { message: "Rate limit reached. Please try again in 1.5s." } };
	expect(classify({ status: 429, body }).retryAfterMs).toBe(1500);
	const headers = new Headers({ "retry-after": "3" });
	expect(classify({ status: 429, body, headers }).retryAfterMs).toBe(3000);
	const forever = new Headers({ "retry-after": "99999999" });
	expect(classify({ status: 429, body, headers: forever }).retryAfterMs).toBe(limits.retryAfterMs);
	expect(classify({ status: 429, body: "" })).not.toHaveProperty("retryAfterMs");
});

describe("the displayed message", () => {
	test.each([
		["sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AA", "Anthropic"],
		["sk-proj-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789", "OpenAI"],
		["sk-or-v1-0123456789abcdef0123456789abcdef", "OpenRouter"],
		["gsk_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789", "Groq"],
		["AIzaSyA-0123456789abcdefghijklmnopqrstu", "Google"],
	])("never contains a key: %s", (key) => {
		for (const body of [{ message: `Bad key ${key}.` }, `key=${key}`, `<html><title>${key}</title></html>`]) {
			const { message } = classify({ status: 401, body });
			expect(message).not.toContain(key.slice(8));
			expect(message).toContain("[masked]");
		}
	});

	test("is one line without control sequences", () => {
		const { message } = classify({
			status: 400,
			body: "one\r\n\ttwo\u001b[31m red\u001b[0m\u0007 \u202ethree\u0000",
		});
		expect(message).toBe("HTTP 400: one two red three");
	});

	test("contains no more of a huge body than a user reads, and is computed quickly", () => {
		const body = `{"error":{"message":"start ${"very ".repeat(2_000_000)}long"}}`;
		const { message, kind } = classify({ status: 500, body });
		expect(kind).toBe("overloaded");
		expect(message).toStartWith("HTTP 500: start very");
		expect(message.length).toBeLessThanOrEqual(limits.errorMessageChars);
		expect(failure("network", "y".repeat(50_000_000)).message.length).toBe(limits.errorMessageChars);
	});
});

test("endlessly nested errors are handled like any other", () => {
	let body: unknown = "bad";
	for (let level = 0; level < 100_000; level++) body = level % 2 ? [body] : { error: body };
	expect(classify({ status: 500, body }).kind).toBe("overloaded");
	const text = `${'{"error":'.repeat(6000)}1${"}".repeat(6000)}`;
	expect(classify({ status: 400, body: text }).kind).toBe("invalid_request");
});

test("no body of any shape makes it throw", () => {
	const status = fc.option(fc.integer({ min: 100, max: 599 }), { nil: undefined });
	const key = fc.constantFrom(
		"error",
		"message",
		"type",
		"code",
		"detail",
		"errors",
		"metadata",
		"raw",
		"status",
		"msg",
	);
	const tree = fc.letrec<{ node: unknown }>((tie) => ({
		node: fc.oneof(
			{ depthSize: "small" },
			fc.anything(),
			fc.string(),
			fc.array(tie("node"), { maxLength: 3 }),
			fc.dictionary(key, tie("node"), { maxKeys: 4 }),
		),
	})).node;
	fc.assert(
		fc.property(status, tree, (value, body) => {
			const result = classify({ ...(value === undefined ? {} : { status: value }), body });
			expect(result.message).not.toBe("");
			expect(result.message).not.toMatch(/[\n\r]/);
		}),
	);
});
