/** Cells of code in the real program: they keep their state, call tools within the same rules, and can be rewound. */
import { expect } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Scenario } from "@tau/ai/testing";

import { needs } from "../support/needs.ts";
import { launch, type Launched } from "../support/launch.ts";

const model = ["--model", "played/played-1"];

function cell(code: string, language = "python"): Scenario["steps"][number] {
	return { answer: { blocks: [{ toolCall: { name: "eval", arguments: { language, code } } }] } };
}

/** What the model read as the result of the given cell. */
function resultOf(tau: Launched, at: number): string {
	const body = JSON.parse(tau.played.requests[at]?.rawBody ?? "{}") as { messages: { content: unknown }[] };
	return JSON.stringify(body.messages.at(-1)?.content);
}

needs("python3")(
	"the schema of eval is in no request until the model calls it, and its state lasts over turns",
	async () => {
		await using tau = await launch({
			steps: [cell("x = 20"), cell("x + 1"), cell("[...'ab'].length", "js"), "Done."],
		});
		const env = { TAU_PYTHON_IPC_TRACE: "1" };
		expect(await tau.run(["-p", "go", ...model], { env })).toMatchObject({
			code: 0,
			out: "Done.\n",
			err: "",
		});
		const log = readFileSync(join(tau.home, ".tau/logs/tau.log"), "utf8");
		expect(log.match(/frame of a cell.*received.*done/g)).toHaveLength(3);
		const declared = tau.played.requests.map(({ rawBody }) => rawBody.includes('"name":"eval"'));
		expect(declared[0]).toBe(false);
		expect([resultOf(tau, 2), resultOf(tau, 3)]).toEqual([
			expect.stringContaining("21"),
			expect.stringContaining('"2"'),
		]);
	},
);

needs("python3")("a cell calls tools, with the rules of any call", async () => {
	const code = [
		"write('a.txt', 'one\\ntwo\\n')",
		"found = tools.grep(pattern='two', path='a.txt')",
		"print(run('echo from bash').strip())",
		"try:",
		"    run('touch denied')",
		"except ToolError as error:",
		"    print('refused:', error)",
		"try:",
		"    tools.eval(language='js', code='1')",
		"except ToolError as error:",
		"    print(error)",
		"'two' in found, read('a.txt')",
	].join("\n");
	const script = [
		"const refused = [];",
		"for (const path of ['secret.txt', 'a.txt'])",
		"	await read(path).then((text) => refused.push(text), (error) => refused.push(error.name));",
		"await fetch('http://127.0.0.1:9/denied').catch((error) => refused.push(error.name));",
		"refused.join()",
	].join("\n");
	const py =
		"try:\n    read('secret.txt')\nexcept ToolError:\n    print('hidden from Python')\nread('a.txt', 2)";
	const js =
		"const texts = await Promise.all([1, 2].map(() => tools.read({ path: 'a.txt' })));\ntexts.length";
	await using tau = await launch({
		steps: [cell(code), cell(js, "js"), cell(script, "js"), cell(py), "Done."],
	});
	writeFileSync(join(tau.project, "secret.txt"), "words");
	writeFileSync(
		join(tau.agentDir, "config.yml"),
		"permissions:\n  deny: ['Bash(touch:*)', 'Read(secret.txt)', 'WebFetch(domain:127.0.0.1)']\n",
		{ flag: "a" },
	);
	expect(await tau.run(["-p", "go", ...model])).toMatchObject({ code: 0, out: "Done.\n" });
	const result = resultOf(tau, 1);
	expect(result).toContain("from bash");
	expect(result).toContain("refused:");
	expect(result).toContain("A cell cannot run cells.");
	expect(result).toContain("(True, 'one\\\\ntwo\\\\n')");
	expect(existsSync(join(tau.project, "denied"))).toBe(false);
	expect(readFileSync(join(tau.project, "a.txt"), "utf8")).toBe("one\ntwo\n");
	expect(resultOf(tau, 2)).toContain('"2"');
	expect(resultOf(tau, 3)).toContain("ToolError,one\\\\ntwo\\\\n,ToolError");
	expect(resultOf(tau, 4)).toContain("hidden from Python");
	expect(resultOf(tau, 4)).toContain("two");
	expect(JSON.stringify(tau.played.requests.map(({ rawBody }) => rawBody))).not.toContain("words");
});
