/** What is accepted without zod is what zod accepts, for every built-in tool. */
import { describe, expect, test } from "bun:test";

import { builtinTools } from "@tau/integrations/builtin";
import fc from "fast-check";

import { samples } from "../../../../test/support/depth.ts";
import { schemaOf } from "../tool/define-tool.ts";
import { limits } from "../tool/limits.ts";
import { PlainArguments } from "../tool/plain-arguments.ts";
import { declaredParameters } from "./index.ts";

/** Longer than any text that a limit is likely to allow. */
const endless = "x".repeat(4 * 1024 * 1024);
const longest = "x".repeat(limits.plainChars);
const texts = ["", " ", "a", " a", "\0", longest, endless];
const numbers = [0, -0, 1, -1, 1.5, 2 ** 31, 2 ** 53 - 1, 2 ** 53, 1e308, NaN, Infinity];
const others = [true, false, null, undefined, [], ["a"], {}, { a: "b" }, new Date(0)];
const values: readonly unknown[] = [...texts, ...numbers, ...others];
const anyValue = fc.oneof(fc.constantFrom(...values), fc.string({ minLength: 1 }), fc.nat(), fc.boolean());

describe.each(declaredParameters(builtinTools))("arguments of $directory", ({ parameters }) => {
	const zod = parameters();
	const plain = new PlainArguments(schemaOf(zod));
	const names = [...Object.keys(zod.shape), "constructor", "toString", "unknown"];

	test("property: what is plain is right, and stays as it is", () => {
		const args = fc.dictionary(fc.constantFrom(...names), anyValue, { maxKeys: names.length });
		fc.assert(
			fc.property(args, (input) => {
				const whole = plain.whole(input);
				if (!whole) return;
				const parsed = zod.safeParse(input);
				expect(parsed.error).toBeUndefined();
				expect(JSON.stringify(whole)).toBe(JSON.stringify(parsed.data));
				expect(Object.keys(input).every((name) => name in zod.shape)).toBe(true);
			}),
			{ numRuns: samples(2000, 60) },
		);
	});

	test("no property accepts by itself what zod refuses", () => {
		for (const [name, schema] of Object.entries(zod.shape))
			for (const value of values) {
				const known = plain.known({ [name]: value });
				if (known && name in known)
					expect(schema.safeParse(value), name).toEqual({ success: true, data: value });
			}
	});
});

test("calls of bash and read are accepted without zod, others as soon as they are certain", () => {
	const of = (tool: string) =>
		new PlainArguments(builtinTools.find(({ name }) => name === tool)?.bind({} as never).parameters ?? {});
	expect(of("bash").whole({ timeout: 3, command: "ls" })).toEqual({ command: "ls", timeout: 3 });
	expect(of("read").whole({ path: "a", limit: 2 })).toEqual({ path: "a", limit: 2 });
	for (const args of [
		{},
		{ command: "" },
		{ command: "ls", timeout: "3" },
		{ command: "ls", env: { A: "b" } },
		{ command: "ls", why: "x" },
	])
		expect(of("bash").whole(args)).toBeUndefined();
});
