/** `--output-schema`: a script gets JSON that matches its schema, or an exit code that says it does not. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { launch } from "../support/launch.ts";

const model = ["--model", "played/played-1"];
const schema = {
	type: "object",
	properties: { name: { type: "string" }, files: { type: "integer" } },
	required: ["name", "files"],
	additionalProperties: false,
};
const fits = '{"name": "tau", "files": 3}';

test("an answer that does not match is requested again, and only the value is printed", async () => {
	await using tau = await launch({
		steps: ["The project is tau.", '{"name": "tau"}', `\`\`\`json\n${fits}\n\`\`\``],
	});
	writeFileSync(join(tau.project, "schema.json"), JSON.stringify(schema));
	const result = await tau.run(["-p", "--output-schema", "schema.json", "what is it?", ...model]);
	expect(result).toMatchObject({ code: 0, out: `${JSON.stringify(JSON.parse(fits))}\n` });
	const [first, second, third] = tau.played.requests.map(({ body }) => JSON.stringify(body));
	expect(first).toContain("fits this JSON Schema");
	expect(second).toContain("It is not JSON");
	expect(third).toContain("files: is missing");
});

test("a model that never matches costs three answers and exit code 1", async () => {
	await using tau = await launch({ steps: [], fallback: "Never." });
	const args = ["-p", "--output-schema", JSON.stringify(schema), "go", ...model];
	const { code, out, err } = await tau.run(args);
	expect({ code, out }).toEqual({ code: 1, out: "" });
	expect(err).toContain("the answer does not fit --output-schema: It is not JSON");
	expect(tau.played.requests).toHaveLength(3);
});

test.each([
	[
		"a schema that is none",
		["--output-schema", '{"type": "nonsense"}', "-p", "go"],
		/not a valid JSON Schema/,
	],
	[
		"a file that is not there",
		["--output-schema", "nowhere.json", "-p", "go"],
		/nowhere\.json: cannot open .*: no such file/,
	],
	[
		"a reference to a file",
		["--output-schema", '{"$ref": "file:///etc/passwd"}', "-p", "go"],
		/only references within the schema/,
	],
	[
		"a reference that leads nowhere",
		["--output-schema", '{"properties": {"a": {"$ref": "#/$defs/x"}}}', "-p", "go"],
		/"#\/\$defs\/x" leads nowhere/,
	],
	[
		"a reference that leads back to itself",
		["--output-schema", '{"$ref": "#"}', "-p", "go"],
		/a \$ref leads back to itself/,
	],
	["a huge file", ["--output-schema", process.execPath, "-p", "go"], /is larger than 262144 bytes/],
	[
		"a schema that is nested too deeply",
		["--output-schema", `${'{"not":'.repeat(200)}{}${"}".repeat(200)}`, "-p", "go"],
		/nested more than 100 levels/,
	],
	["RPC mode", ["--output-schema", "{}", "--mode", "rpc"], /is for print mode/],
])("%s is rejected before any request", async (_, args, message) => {
	await using tau = await launch({ steps: [] });
	const { code, err } = await tau.run([...args, ...model]);
	expect(code).toBe(2);
	expect(err).toMatch(message);
	expect(tau.played.requests).toHaveLength(0);
});

test.each([
	["without a type", { required: ["a"], properties: { a: { type: "string" } } }, '{"b": 1}', '{"a": "x"}'],
	[
		"with definitions of draft 7",
		{ definitions: { n: { type: "integer" } }, items: { $ref: "#/definitions/n" } },
		'["x"]',
		"[1]",
	],
	["with alternatives", { oneOf: [{ type: "number" }, { minLength: 3 }] }, '"a"', '"abc"'],
	["that is recursive", { type: "array", items: { $ref: "#" } }, "[[1]]", "[[]]"],
	[
		"with a condition",
		JSON.parse('{"if": {"required": ["a"]}, "then": {"required": ["b"]}}') as object,
		'{"a": 1}',
		'{"a": 1, "b": 2}',
	],
])("a schema %s is checked as a whole", async (_, each, unfit, fit) => {
	await using tau = await launch({ steps: [unfit, fit] });
	const { code, out, err } = await tau.run(["-p", "--output-schema", JSON.stringify(each), "go", ...model]);
	expect({ code, out, err }).toEqual({ code: 0, out: `${JSON.stringify(JSON.parse(fit))}\n`, err: "" });
});

test("in JSON mode the value is the last event", async () => {
	await using tau = await launch({ steps: ["No.", fits] });
	const flags = ["-p", "--mode", "json", "--output-schema", JSON.stringify(schema)];
	const { code, out } = await tau.run([...flags, "go", ...model]);
	const events = out.trimEnd().split("\n");
	expect(code).toBe(0);
	expect(JSON.parse(events.at(-1) ?? "")).toEqual({ type: "structured_output", value: JSON.parse(fits) });
	expect(events.filter((line) => line.includes("structured_output"))).toHaveLength(1);
});
