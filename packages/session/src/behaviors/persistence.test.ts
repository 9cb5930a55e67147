/** Everything shown as finished is on disk, and a failing disk costs a notice, not the conversation. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { playModel, type PlayedModel, type Scenario } from "@tau/ai/testing";

import { testModel, testSession } from "../../../../test/support/session.ts";
import type { AgentSession } from "../run/agent-session.ts";
import type { SessionEvent } from "../run/behavior.ts";
import { SessionManager } from "@tau/log";
import { persistence } from "./persistence.ts";

let directory = "";
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), "tau-persistence-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function sessionOf(played: PlayedModel, log: SessionManager): AgentSession {
	return testSession(testModel({ baseUrl: played.anthropicUrl }), { behaviors: [persistence(log)] });
}

/** Roles of the messages in the file. */
function written(log: SessionManager): string[] {
	const lines = readFileSync(log.getSessionFile() ?? "", "utf8")
		.trimEnd()
		.split("\n")
		.slice(1);
	return lines.map((line) => JSON.parse(line).message.role);
}

const callThenAnswer: Scenario = {
	steps: [{ answer: { blocks: [{ toolCall: { name: "none", arguments: {} } }] } }, "done"],
};

test("a message is in the file before listeners get it", async () => {
	await using played = await playModel(callThenAnswer);
	using log = SessionManager.create("/work", directory);
	using session = sessionOf(played, log);
	const seen: string[][] = [];
	session.subscribe((event) => {
		if (event.type === "message_end") seen.push(written(log));
	});
	await session.prompt({ text: "go" });
	const all = ["user", "assistant", "toolResult", "assistant"];
	expect(seen).toEqual(all.map((_, index) => all.slice(0, index + 1)));
});

test("a failed answer is stored with its reason", async () => {
	await using played = await playModel({ steps: [{ fault: { http: 401 } }] });
	using log = SessionManager.create("/work", directory);
	using session = sessionOf(played, log);
	await session.prompt({ text: "go" });
	const last = JSON.parse(
		readFileSync(log.getSessionFile() ?? "", "utf8")
			.trimEnd()
			.split("\n")
			.at(-1) ?? "",
	);
	expect(last.message).toMatchObject({ stopReason: "error", failure: { kind: "auth" } });
});

test("if nothing can be written, the conversation continues and the user is informed once", async () => {
	await using played = await playModel({ steps: ["one", "two"] });
	const inTheWay = join(directory, "sessions");
	writeFileSync(inTheWay, "a file");
	using log = SessionManager.create("/work", inTheWay);
	using session = sessionOf(played, log);
	const events: SessionEvent[] = [];
	session.subscribe((event) => void events.push(event));
	await session.prompt({ text: "go" });
	await session.prompt({ text: "on" });
	expect(played.requests[1]?.rawBody).toContain("one");
	const notices = events.filter((event) => event.type === "notice");
	expect(notices).toEqual([
		{
			type: "notice",
			level: "warning",
			message: expect.stringContaining("The session is not being saved: "),
		},
	]);
	expect(notices[0]?.message).toContain(inTheWay);
});

test("when the disk is back, everything is written and the user is informed", async () => {
	await using played = await playModel({ steps: ["one", "two"] });
	const inTheWay = join(directory, "sessions");
	writeFileSync(inTheWay, "a file");
	using log = SessionManager.create("/work", inTheWay);
	using session = sessionOf(played, log);
	const notices: string[] = [];
	session.subscribe((event) => {
		if (event.type === "notice") notices.push(`${event.level}: ${event.message}`);
	});
	await session.prompt({ text: "go" });
	rmSync(inTheWay);
	await session.prompt({ text: "on" });
	expect(notices.at(-1)).toStartWith("info: The session is being saved again");
	expect(notices).toHaveLength(2);
	expect(written(log)).toEqual(["user", "assistant", "user", "assistant"]);
});

test("damage found on opening is reported once, however many lines it affects", async () => {
	await using played = await playModel({ steps: ["one"] });
	const path = join(directory, "damaged.jsonl");
	const header = {
		type: "session",
		version: 3,
		id: "x",
		timestamp: "2024-12-03T14:00:00.000Z",
		cwd: "/work",
	};
	writeFileSync(path, `${JSON.stringify(header)}\n${"{broken\n".repeat(20)}`);
	using log = SessionManager.open(path);
	using session = sessionOf(played, log);
	const notices: string[] = [];
	session.subscribe((event) => {
		if (event.type === "notice") notices.push(event.message);
	});
	await session.prompt({ text: "go" });
	expect(notices).toEqual(["A line of damaged.jsonl was damaged. It was moved to damaged.jsonl.damaged."]);
});
