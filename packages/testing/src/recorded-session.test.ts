/** A session of a test is recorded once, and replays offline; what changed is named. */
import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { modelsYml, playModel } from "@tau/ai/testing";

import { recordedSession, type RecordedSession, type RecordedSessionOptions } from "./index.ts";

const directory = mkdtempSync(join(tmpdir(), "tau-testing-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const cassette = join(directory, "greeting.cassette");

/** An extension with a tool, as its author would test it. */
const greeter: NonNullable<RecordedSessionOptions["extensions"]>[number] = (pi) => {
	pi.registerTool({
		name: "greet",
		label: "Greet",
		description: "Greets somebody",
		parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
		execute: async (_id: string, { name }: { name: string }) => ({
			content: [{ type: "text" as const, text: `Hello, ${name}.` }],
			details: {},
		}),
	});
};

const options = { cassette, cwd: directory, agentDir: directory, extensions: [greeter], tools: ["greet"] };

async function greeting(session: RecordedSession, text = "greet Ann"): Promise<string> {
	await session.session.prompt({ text });
	return JSON.stringify(
		session.session.state.messages
			.slice(1)
			.map(({ role, ...rest }) => [role, "content" in rest && rest.content]),
	);
}

test("the first run records, later ones replay without a server, and a changed request is named", async () => {
	const played = await playModel({
		steps: [
			{ answer: { blocks: [{ toolCall: { name: "greet", arguments: { name: "Ann" }, id: "call_1" } }] } },
			{ answer: "Ann is greeted." },
		],
	});
	writeFileSync(join(directory, "models.yml"), modelsYml(played, { api: "anthropic-messages" }));
	let first: string;
	{
		await using session = await recordedSession({ ...options, mode: "record", model: "played/played-1" });
		expect(session.isReplay).toBe(false);
		first = await greeting(session);
		expect(first).toContain("Hello, Ann.");
	}
	await played.close();
	expect(existsSync(cassette)).toBe(true);
	{
		await using session = await recordedSession(options);
		expect(session.isReplay).toBe(true);
		expect(await greeting(session)).toBe(first);
		expect(session.misses).toEqual([]);
	}
	await using session = await recordedSession(options);
	await greeting(session, "greet Bob");
	expect(session.misses).toMatchObject([
		{ request: 1, nearest: 1, difference: { recorded: '"greet Ann"', actual: '"greet Bob"' } },
	]);
});

test("nothing is recorded in CI", async () => {
	const before = process.env.CI;
	process.env.CI = "1";
	try {
		const missing = recordedSession({ ...options, cassette: join(directory, "missing.cassette") });
		await expect(missing).rejects.toThrow(/nothing is recorded in CI/);
	} finally {
		if (before === undefined) delete process.env.CI;
		else process.env.CI = before;
	}
});
