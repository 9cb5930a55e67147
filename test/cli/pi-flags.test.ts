/** Flags that users know from pi have the same effect here. */
import { expect, test } from "bun:test";
import { cpSync, existsSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";

import { writeTestFile as put } from "../support/files.ts";
import { openTau } from "../interactive/driver.ts";
import { launch, root, type Finished, type Launched } from "../support/launch.ts";

async function list({ run }: Launched): Promise<{ id: string; name?: string }[]> {
	const { out } = await run(["sessions", "list", "--mode", "json"]);
	return out
		.trim()
		.split("\n")
		.filter((line) => line !== "")
		.map((line) => JSON.parse(line));
}

/** The last request to the model. */
function lastSent({ played }: Launched): string {
	return JSON.stringify(played.requests.at(-1)?.body);
}

test("--session-id starts a session of that id and continues it, and --name names it", async () => {
	await using tau = await launch({ steps: ["one", "two", "three"] });
	expect(await tau.run(["--session-id", "ci.42", "-n", "nightly", "-p", "first words"])).toMatchObject({
		code: 0,
		err: "",
	});
	expect((await tau.run(["--session-id", "ci.42", "-p", "more"])).out).toBe("two\n");
	expect(lastSent(tau)).toContain("first words");
	expect((await tau.run(["--fork", "ci.42", "--session-id", "copy", "-p", "again"])).out).toBe("three\n");
	const sessions = await list(tau);
	expect(sessions.map(({ id }) => id).toSorted()).toEqual(["ci.42", "copy"]);
	expect(sessions.find(({ id }) => id === "ci.42")?.name).toBe("nightly");
});

test("--session with a file that does not exist starts a session there, and continues it the next time", async () => {
	await using tau = await launch({ steps: ["one", "two"] });
	const file = join(tau.project, "runs/child.jsonl");
	expect(await tau.run(["--session", "runs/child.jsonl", "-p", "first words"])).toMatchObject({
		code: 0,
		out: "one\n",
		err: "",
	});
	expect(JSON.parse(readFileSync(file, "utf8").split("\n")[0] ?? "").cwd).toBe(realpathSync(tau.project));
	expect((await tau.run(["--session", file, "-p", "more"])).out).toBe("two\n");
	expect(lastSent(tau)).toContain("first words");
});

test("a new --session file in pi's directory becomes a session in Tau's own", async () => {
	await using tau = await launch({ steps: ["one"] });
	const file = join(tau.home, ".pi/agent/sessions/child.jsonl");
	expect((await tau.run(["--session", file, "-p", "hi"])).out).toBe("one\n");
	expect(existsSync(join(tau.home, ".pi"))).toBe(false);
	expect(await list(tau)).toHaveLength(1);
});

test("a --session-id that ten processes start at once is one session, and the others learn what to do", async () => {
	const answer = { blocks: [{ text: "a long answer", chunks: 13 }] };
	await using tau = await launch({
		steps: Array.from({ length: 10 }, () => ({ answer, fault: { pauseMs: 60_000, afterChunks: 4 } })),
	});
	const running = Array.from({ length: 10 }, () => tau.start(["--session-id", "shared", "-p", "hi"]));
	const refused: Finished[] = [];
	const nine = Promise.withResolvers<void>();
	for (const { finished } of running)
		void finished.then((end) => {
			refused.push(end);
			if (refused.length === 9) nine.resolve();
		});
	// The one that was first waits for its answer.
	await nine.promise;
	await tau.played.waitForRequest(1);
	for (const { code, err } of refused) {
		expect(code).toBe(2);
		expect(err).toMatch(/Session shared is in use by process \d+ on .*--fork shared --session-id shared-2/);
	}
	for (const { process: child } of running) child.kill("SIGTERM");
	await Promise.all(running.map(({ finished }) => finished));
	expect((await list(tau)).map(({ id }) => id)).toEqual(["shared"]);
	expect(tau.played.requests).toHaveLength(1);
});

test("a name alone leaves no session behind, and is stored with the first message", async () => {
	const home = await launch({ steps: ["hello"] });
	await using _ = home;
	{
		await using tau = await openTau({ steps: [] }, { home, cols: 120, args: ["--name", "just looking"] });
		await tau.until("just looking");
		tau.press("ctrlD");
		await tau.exited;
	}
	expect(await list(home)).toEqual([]);
	await home.run(["--name", "said", "-p", "hi"]);
	expect(await list(home)).toMatchObject([{ name: "said" }]);
});

const refused: [promise: string, argv: string[], message: string][] = [
	["an id that is a path", ["--session-id", "../x"], '--session-id cannot be "../x"'],
	[
		"an id beside another way",
		["--session-id", "x", "-c"],
		"--continue and --session-id cannot be combined.",
	],
	["a name for nothing", ["-n", "x", "--no-session"], "--name needs a saved session"],
	["a yes and a no", ["-a", "-na"], "--trust and --no-approve cannot be combined."],
];
test.each(refused)("%s is rejected with the reason", async (_, argv, message) => {
	await using tau = await launch({ steps: [] });
	const { code, err } = await tau.run([...argv, "-p", "hi"]);
	expect(err).toContain(message);
	expect(code).toBe(2);
});

test("--no-approve runs nothing of a trusted project, and prints nothing about it", async () => {
	await using tau = await launch({ steps: ["one", "two"] });
	const said =
		'export default (pi) => pi.on("session_start", (_, ctx) => ctx.ui.notify("project code ran"));';
	put(join(tau.project, ".tau/extensions/x.ts"), said);
	const trusted = { projects: { [realpathSync(tau.project)]: true } };
	put(join(tau.agentDir, "trust.json"), JSON.stringify(trusted));
	expect((await tau.run(["-p", "hi"])).err).toContain("project code ran");
	expect(await tau.run(["-na", "-p", "hi"])).toEqual({ code: 0, out: "two\n", err: "" });
});

test("--plan belongs to an extension with such a flag, and is the model for plans without one", async () => {
	await using tau = await launch({ steps: ["one"] });
	expect((await tau.run(["-p", "hi", "--plan"])).err).toContain("--plan needs a value: --plan <model>");
	const extension = put(
		join(tau.home, "plan.ts"),
		`export default (pi) => {
			pi.registerFlag("plan", { type: "boolean", description: "plan first" });
			pi.registerFlag("model", { type: "boolean", description: "not this one" });
			pi.on("session_start", (_, ctx) => ctx.ui.notify("planning: " + pi.getFlag("plan")));
		};`,
	);
	const { out, err } = await tau.run(["-e", extension, "--plan", "--model", "played/played-1", "-p", "hi"]);
	expect(err).toContain("planning: true");
	expect(out).toBe("one\n");
});

test("tools of extensions are selected, and excluded ones cannot be enabled again", async () => {
	await using tau = await launch({ steps: ["one", "two", "three"] });
	const extension = put(
		join(tau.home, "tools.ts"),
		`const tool = (name) => ({ name, label: name, description: name, parameters: { type: "object", properties: {} },
			execute: async () => ({ content: [] }) });
		export default (pi) => {
			pi.registerTool(tool("early"));
			pi.on("session_start", () => {
				pi.registerTool(tool("late"));
				pi.setActiveTools([...pi.getActiveTools(), "early"]);
			});
		};`,
	);
	const tools = (): string[] => {
		const { body } = tau.played.requests.at(-1) ?? {};
		return ((body as { tools?: { name: string }[] }).tools ?? []).map(({ name }) => name).toSorted();
	};
	await tau.run(["-e", extension, "-nbt", "-p", "hi"]);
	expect(tools()).toEqual(["early", "late"]);
	await tau.run(["-e", extension, "-nbt", "-xt", "ear*", "-p", "hi"]);
	expect(tools()).toEqual(["late"]);
	await tau.run(["-e", extension, "-t", "read,late", "-xt", "early", "-p", "hi"]);
	expect(tools()).toEqual(["late", "read"]);
});

const builtin = join(root, "packages/tui/src/theme/themes");

test("--theme adds a theme, --use-theme starts with it, and --verbose lists what was loaded", async () => {
	const home = await launch({ steps: [] });
	await using _ = home;
	const file = join(home.home, "night.json");
	cpSync(join(builtin, "forest.json"), file);
	put(join(home.agentDir, "skills/pdf/SKILL.md"), "---\nname: pdf\ndescription: Reads.\n---\n");
	const args = ["--theme", file, "--use-theme", "night", "--no-themes", "--verbose"];
	await using tau = await openTau({ steps: [] }, { home, args, cols: 100 });
	await tau.until("skill pdf");
	tau.type("/theme");
	tau.press("enter");
	await tau.until("night (now)");
});

test("a theme that does not exist is reported, by its name and by its path", async () => {
	await using tau = await openTau({ steps: [] }, { args: ["--use-theme", "forst"] });
	await tau.until("Theme forst not found. Did you mean forest?");
	await using other = await openTau({ steps: [] }, { args: ["--theme", "forest"] });
	await other.until("--theme: forest does not exist.");
});
