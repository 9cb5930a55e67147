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
	expect(third).toContain("files: Invalid input");
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
	["an invalid schema", ["--output-schema", '{"type": "nonsense"}', "-p", "go"], /not a valid JSON Schema/],
	["a missing file", ["--output-schema", "nowhere.json", "-p", "go"], /nowhere\.json: cannot read it/],
	["RPC mode", ["--output-schema", "{}", "--mode", "rpc"], /is for print mode/],
])("%s is rejected before any request", async (_, args, message) => {
	await using tau = await launch({ steps: [] });
	const { code, err } = await tau.run([...args, ...model]);
	expect(code).toBe(2);
	expect(err).toMatch(message);
	expect(tau.played.requests).toHaveLength(0);
});
