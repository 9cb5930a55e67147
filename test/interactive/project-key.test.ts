/** A key in the project's `.env`: used after a yes to the project and to the key, asked about again when it changes. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { launch, type Launched } from "../support/launch.ts";
import { openTau, type OpenTau } from "./driver.ts";

const aboutProject = "Do you trust the project in";
const aboutKey = "Use the Anthropic key from the project in";
const model = ["--model", "anthropic/claude-haiku-4-5"];

function keyOf({ project }: Launched, key: string): void {
	writeFileSync(join(project, ".env"), `ANTHROPIC_API_KEY=${key}\nTAU_SMOL_MODEL=groq/other\n`);
}

function open(home: Launched): Promise<OpenTau> {
	return openTau({ steps: [] }, { home, anyModel: true, args: model, env: hostOf(home) });
}

const hostOf = ({ played }: Launched): Record<string, string> => ({ ANTHROPIC_BASE_URL: played.url });
const sent = ({ played }: Launched): unknown[] => played.requests.map(({ headers }) => headers["x-api-key"]);

function trusted({ agentDir }: Launched): { projects?: object; keys?: object } {
	const file = join(agentDir, "trust.json");
	return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}

/** The first choice is "Not now", then "Yes", then "No". */
async function answer(tau: OpenTau, question: string, choice: "Yes" | "No"): Promise<void> {
	await tau.until(question);
	await tau.until("❯ Not now");
	tau.press("down");
	await tau.until("❯ Yes");
	if (choice === "No") {
		tau.press("down");
		await tau.until("❯ No ");
	}
	tau.press("enter");
	await tau.untilGone(question);
}

test("after both answers the key is used, also if nobody can be asked, until it changes", async () => {
	await using home = await launch({ steps: ["One.", "Two.", "Three."] });
	keyOf(home, "projects-key");
	{
		await using tau = await open(home);
		await answer(tau, aboutProject, "Yes");
		await tau.until(aboutKey);
		expect(tau.screen()).toContain("ANTHROPIC_API_KEY");
		expect(tau.screen().replaceAll("\n", "")).toContain(home.project);
		await answer(tau, aboutKey, "Yes");
		tau.type("hello\r");
		await tau.until("One.");
	}
	expect(trusted(home).projects).toEqual({ [home.project]: true });
	expect(JSON.stringify(trusted(home))).not.toContain("projects-key");
	const args = ["-p", "hi", ...model];
	expect(await home.run(args, { env: hostOf(home) })).toEqual({ code: 0, out: "Two.\n", err: "" });
	expect(sent(home)).toEqual(["projects-key", "projects-key"]);
	keyOf(home, "another-key");
	const unasked = await home.run(args, { env: hostOf(home) });
	expect(unasked.err).toContain("ANTHROPIC_API_KEY");
	expect(unasked.code).not.toBe(0);
	expect(home.played.requests).toHaveLength(2);
	await using again = await open(home);
	await answer(again, aboutKey, "Yes");
	expect(again.scrollback()).not.toContain(aboutProject);
	again.type("hello\r");
	await again.until("Three.");
	expect(sent(home)[2]).toBe("another-key");
});

test("a no to the key is stored, and not mentioned again; the user's own key is used", async () => {
	await using home = await launch({ steps: ["One.", "Two."] });
	keyOf(home, "projects-key");
	writeFileSync(join(home.agentDir, ".env"), "ANTHROPIC_API_KEY=users-key\n");
	writeFileSync(join(home.agentDir, "trust.json"), JSON.stringify({ projects: { [home.project]: true } }));
	await using tau = await open(home);
	await answer(tau, aboutKey, "No");
	tau.type("hello\r");
	await tau.until("One.");
	const args = ["-p", "hi", ...model];
	expect(await home.run(args, { env: hostOf(home) })).toEqual({ code: 0, out: "Two.\n", err: "" });
	expect(sent(home)).toEqual(["users-key", "users-key"]);
});

test.each(["escape", "enter"] as const)("%s trusts nothing and uses nothing", async (key) => {
	await using home = await launch({ steps: ["Mine."] });
	keyOf(home, "projects-key");
	writeFileSync(join(home.agentDir, ".env"), "ANTHROPIC_API_KEY=users-key\n");
	await using tau = await open(home);
	await tau.until(aboutProject);
	await tau.until("❯ Not now");
	tau.press(key);
	await tau.untilGone(aboutProject);
	tau.type("hello\r");
	await tau.until("Mine.");
	expect(tau.scrollback()).not.toContain(aboutKey);
	expect(sent(home)).toEqual(["users-key"]);
	expect(trusted(home)).toEqual({});
});

test("a .env without keys, or with unused keys, asks nothing", async () => {
	await using home = await launch({ steps: ["Here."] });
	keyOf(home, "projects-key");
	const env = { ...hostOf(home), ANTHROPIC_API_KEY: "environments-key" };
	await using tau = await openTau({ steps: [] }, { home, anyModel: true, args: model, env });
	await tau.until("claude-haiku");
	tau.type("hello\r");
	await tau.until("Here.");
	expect(tau.scrollback()).not.toContain(aboutProject);
	expect(sent(home)).toEqual(["environments-key"]);
});
