import { afterAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = await mkdtemp(join(tmpdir(), "played-model-"));
afterAll(() => rm(folder, { recursive: true }));

async function start(scenario: string, ...flags: string[]) {
	const file = join(folder, "scenario.json");
	await Bun.write(file, scenario);
	const main = join(import.meta.dir, "main.ts");
	return Bun.spawn([process.execPath, main, file, ...flags], { stdout: "pipe", stderr: "pipe" });
}

test("by hand: one line prints the address, one line each request, and Ctrl+C ends it", async () => {
	await using process = await start('{"steps":["hello"]}', "--port", "0");
	const reader = process.stdout.getReader();
	const line = new TextDecoder().decode((await reader.read()).value);
	expect(line).toMatch(
		/^played model on (http:\/\/127\.0\.0\.1:\d+) {2}\(anthropic: \1, openai: \1\/v1\)\n$/,
	);
	const url = line.split(" ")[3];
	const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] });
	const response = await fetch(`${url}/v1/chat/completions`, { method: "POST", body });
	expect(await response.text()).toContain('"content":"hello"');
	process.kill("SIGINT");
	expect(await process.exited).toBe(0);
	const stderr = await new Response(process.stderr).text();
	expect(stderr).toBe(`#1 POST /v1/chat/completions  openai-completions, ${body.length} bytes\n`);
});

test.each([
	["{", [], "is no JSON"],
	['{"steps":[{"answer":1}]}', [], "steps[0].answer must be an object"],
	['{"steps":[]}', ["--port", "x"], "--port x is no port"],
	['{"steps":[]}', ["--prot", "1"], "'--prot'"],
	['{"steps":[]}', ["another.json"], "usage: played-model <scenario.json>"],
])("bad input gives one clear line and exit code 2: %j %j", async (scenario, flags, message) => {
	await using process = await start(scenario, ...flags);
	const stderr = await new Response(process.stderr).text();
	expect(stderr).toContain(message);
	expect(stderr.trimEnd()).not.toContain("\n");
	expect(await process.exited).toBe(2);
});
