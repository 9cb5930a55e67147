/** Extensions that import TypeBox get the real package, under both of its names, and tools validate with it. */
import { expect, test } from "bun:test";

import { playModel } from "@tau/ai/testing";

import { callOf, extensionFixtureWith } from "../../../../test/support/extensions.ts";

const extensionFixture = extensionFixtureWith(playModel);

/** An extension whose tool takes `parameters` and returns what `body` computes from `params`, as JSON. */
function probe(imports: string, parameters: string, body: string): string {
	return `${imports}
		export default (pi) => pi.registerTool({
			name: "probe", label: "Probe", description: "Probes", parameters: ${parameters},
			execute: async (_id, params) => ({ content: [{ type: "text", text: JSON.stringify(${body}) }] }),
		});`;
}

async function resultsOf(source: string, ...calls: readonly object[]): Promise<unknown[]> {
	const steps = [...calls.map((params) => callOf("probe", { ...params })), "Ok."];
	await using fixture = await extensionFixture({ steps }, { files: { "probe.ts": source } });
	expect(fixture.extensions.problems).toEqual([]);
	await fixture.prompt("go");
	return fixture.session.state.messages.flatMap((message) => {
		if (message.role !== "toolResult") return [];
		const text = message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
		return [message.isError ? text : (JSON.parse(text) as unknown)];
	});
}

test("@sinclair/typebox is 0.34: transforms, recursion, values, the compiler, and custom kinds", async () => {
	const imports = `
		import { FormatRegistry, Kind, Type, TypeRegistry } from "@sinclair/typebox";
		import { TypeCompiler } from "@sinclair/typebox/compiler";
		import { Value } from "@sinclair/typebox/value";
		const when = Type.Transform(Type.String()).Decode((text) => text.length).Encode((n) => "x".repeat(n));
		const node = Type.Recursive((This) => Type.Object({ id: Type.String(), children: Type.Array(This) }));
		const count = Type.Object({ n: Type.Integer({ default: 7 }) });
		const compiled = TypeCompiler.Compile(node);
		TypeRegistry.Set("Even", (_schema, value) => value % 2 === 0);
		FormatRegistry.Set("lower", (text) => text === text.toLowerCase());
		const leaf = (id) => ({ id, children: [] });`;
	const body = `[
		Value.Decode(when, "abc"), Value.Encode(when, 2), Value.Check(when, 1),
		compiled.Check(params.tree), compiled.Errors({ id: "a", children: [leaf(1)] }).First()?.path,
		Value.Default(count, {}), Value.Convert(count, { n: "5" }), [...Value.Errors(count, { n: "x" })][0].message,
		Value.Check({ [Kind]: "Even" }, 3), Value.Check(Type.String({ format: "lower" }), "Up"),
		Type.KeyOf(Type.Composite([count, Type.Object({ m: Type.Null() })])).anyOf.length,
	]`;
	const results = await resultsOf(
		probe(imports, "Type.Object({ tree: node })", body),
		{ tree: { id: "a", children: [{ id: "b", children: [] }] } },
		{ tree: { id: "a", children: [{ id: {}, children: [] }] } },
	);
	expect(results).toEqual([
		[3, "xx", false, true, "/children/0/id", { n: 7 }, { n: 5 }, "Expected integer", false, false, 2],
		"Bad arguments for probe: tree.children[0].id: must be string, not object.",
	]);
});

test("typebox is 1.x: codecs, cyclic types, scripts, values, the compiler, and formats", async () => {
	const imports = `
		import Type, { Optional, type Static } from "typebox";
		import { Compile } from "typebox/compile";
		import Format from "typebox/format";
		import { Value } from "typebox/value";
		const when = Type.Codec(Type.String()).Decode((text) => text.length).Encode((n) => "x".repeat(n));
		const node = Type.Cyclic({ Node: Type.Object({ id: Type.String(), children: Type.Array(Type.Ref("Node")) }) }, "Node");
		const count = Type.Object({ n: Type.Integer({ default: 7 }), m: Optional(Type.Null()) });
		const compiled = Compile(Type.Script("{ x: number, y?: string }"));
		Format.Set("lower", (text) => text === text.toLowerCase());
		const say = (params: Static<typeof count>) => params;`;
	const body = `[
		Value.Decode(when, "abc"), Value.Encode(when, 2), Value.Check(node, params.tree),
		compiled.Check({ x: 1 }), compiled.Errors({ x: "1" })[0].instancePath,
		Value.Default(count, {}), Value.Convert(count, { n: "5" }), Value.Errors(count, { n: "x" })[0].message,
		Value.Check(Type.String({ format: "lower" }), "Up"), pi.typebox.Type.Codec === Type.Codec, say({ n: 1 }),
	]`;
	const results = await resultsOf(
		probe(
			imports,
			"Type.Object({ tree: node, shout: Type.Optional(Type.String({ format: 'lower' })) })",
			body,
		),
		{ tree: { id: "a", children: [{ id: "b", children: [] }] } },
		{ tree: { id: "a", children: [{ children: [] }] } },
		{ tree: { id: "a", children: [] }, shout: "LOUD" },
	);
	expect(results).toEqual([
		[3, "xx", true, true, "/x", { n: 7 }, { n: 5 }, "must be integer", false, true, { n: 1 }],
		"Bad arguments for probe: tree.children[0].id: is missing.",
		'Bad arguments for probe: shout: must match format "lower".',
	]);
});

test("a schema of @sinclair/typebox takes a StringEnum of pi-ai, optional ones too", async () => {
	const imports = `
		import { Type } from "@sinclair/typebox";
		import { StringEnum } from "@mariozechner/pi-ai";`;
	const parameters = `Type.Object({ how: Type.Optional(StringEnum(["a", "b"])), n: Type.Number({ default: 2 }) })`;
	expect(await resultsOf(probe(imports, parameters, "params"), {}, { how: "b" }, { how: "c" })).toEqual([
		{ n: 2 },
		{ how: "b", n: 2 },
		'Bad arguments for probe: how: must be one of "a", "b".',
	]);
});
