/** Moments that users met in their first minutes, each as it is now (UX.md 1.2). */
import { expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { services } from "@tau/ai";

import { launch, root } from "../support/launch.ts";
import { openTau, type OpenTau } from "./driver.ts";

const lastRow = (tau: OpenTau): string => tau.screen().split("\n").at(-1) ?? "";

test("the first start shows what can be typed, and later starts a tip each", async () => {
	await using home = await launch({ steps: [] });
	const first = "/ commands · @ files · ! shell · ? shortcuts";
	const tips: string[] = [];
	for (let start = 0; start < 3; start++) {
		await using tau = await openTau({ steps: [] }, { home });
		await tau.until("without asking");
		tips.push(tau.screen().split("\n")[2]?.trim() ?? "");
		tau.press("ctrlD");
		expect(await tau.exited).toBe(0);
	}
	expect(tips[0]).toBe(first);
	expect(new Set(tips).size).toBe(3);
});

test.each([
	["full", "Runs commands and edits files without asking."],
	["auto", "Container: commands, network and git push run without asking (/mode)."],
	["ask", "Asks before it changes files or runs commands."],
	["plan", "Reads only; nothing is changed."],
])("the first screen says what mode %s runs without asking", async (mode, line) => {
	await using tau = await openTau({ steps: [] }, { args: ["--approval-mode", mode] });
	await tau.until(line);
	expect(tau.screen().split("\n")[3]?.trim()).toBe(line);
});

test("the wizard of the first start speaks plainly, and its hint names the keys", async () => {
	await using home = await launch({ steps: [] });
	rmSync(join(home.agentDir, "models.yml"));
	await using tau = await openTau({ steps: [] }, { home, anyModel: true });
	await tau.until("No model is configured. How would you like to connect one?");
	expect(tau.screen()).toMatch(/Enter an API key +Anthropic, OpenAI, Google and many others/);
	expect(tau.screen()).toMatch(/^ enter to select · esc\/ctrl\+c to cancel$/m);
});

test("the numbers of providers in the README are those of /login and --list-models", async () => {
	const readme = readFileSync(join(root, "README.md"), "utf8");
	const [, all, listed] = /any of (\d+) providers \((\d+) with a built-in catalogue\)/.exec(readme) ?? [];
	await using home = await launch({ steps: [] });
	const { out } = await home.run(["--list-models"]);
	// The played model is one more.
	expect(/models, (\d+) providers/.exec(out)?.[1]).toBe(String(Number(listed) + 1));
	await using tau = await openTau({ steps: [] }, { home });
	await tau.until("played-1");
	tau.type("/login\r");
	await tau.until("esc close");
	const [, rows] = /1\/(\d+) ──$/m.exec(tau.screen()) ?? [];
	const logins = tau.screen().match(/ subscription *$|creates an API key/gm) ?? [];
	// Services for searching take keys as well.
	expect(Number(rows) - logins.length - 1 - services.length).toBe(Number(all));
	// Where to begin, and an index by subject.
	expect(readme).toContain("\nBegin with [the tour in pictures](docs/tour.md)");
	const subjects = ["models", "approvals", "conversations", "reference", "extending it"];
	for (const subject of subjects) expect(readme).toContain(`\n| ${subject} | [`);
});

test("/login says that OpenRouter creates an API key, and does not call it a subscription", async () => {
	await using tau = await openTau({ steps: [] }, { cols: 120 });
	await tau.until("played-1");
	tau.type("/login\r");
	await tau.until("esc close");
	tau.type("openrouter");
	await tau.until(/OpenRouter.*creates an API key/);
	for (const row of tau
		.screen()
		.split("\n")
		.filter((line) => line.includes("OpenRouter")))
		expect(row).not.toContain("subscription");
});

test("the hint of a list says what Escape does: first it clears the search, then it closes", async () => {
	await using tau = await openTau({ steps: [] });
	await tau.until("played-1");
	tau.type("/model zzz\r");
	await tau.until("esc clear search");
	expect(tau.screen()).not.toContain("esc close");
	tau.press("escape");
	await tau.until("esc close");
	expect(tau.screen()).not.toContain("esc clear");
	tau.press("escape");
	await tau.until("Ask anything");
});

test("a draft of an earlier start is announced, and Ctrl+C clears it", async () => {
	await using home = await launch({ steps: [] });
	{
		await using tau = await openTau({ steps: [] }, { home });
		await tau.until("played-1");
		tau.type("half a thought");
		await tau.untilDraft("half a thought");
		tau.kill("SIGKILL");
		await tau.exited;
	}
	await using tau = await openTau({ steps: [] }, { home });
	await tau.until("Restored an unsent draft (ctrl+c clears it).");
	await tau.until("half a thought");
	tau.press("ctrlC");
	await tau.until("Ask anything");
	tau.type("/status\r");
	await tau.until("directory");
});

test("an answer to a key covers the end of the directory, and nothing in the footer moves", async () => {
	await using tau = await openTau({ steps: [] });
	await tau.until(/% of 200k$/);
	const before = lastRow(tau);
	tau.type("\x1bm");
	await tau.until("played-1 does not support thinking");
	const model = before.indexOf("played-1 · ");
	expect(lastRow(tau).slice(model)).toBe(before.slice(model));
	expect(lastRow(tau)).toMatch(/^ \/tmp\/\S+…  played-1 does not support thinking  played-1 · /);
	await tau.untilGone("does not support thinking");
	expect(lastRow(tau)).toBe(before);
});

test("the hint of Ctrl+C disappears with the next key, which also takes back the first press", async () => {
	await using tau = await openTau({ steps: [] });
	await tau.until("played-1");
	tau.press("ctrlC");
	await tau.until("press ctrl+c again to exit");
	tau.type("x");
	await tau.untilGone("press ctrl+c again to exit");
	tau.press("ctrlC");
	await tau.until("Ask anything");
	tau.press("ctrlC");
	await tau.until("press ctrl+c again to exit");
	tau.press("ctrlC");
	expect(await tau.exited).toBe(0);
});

test("/export says why it cannot write, without the words of the system", async () => {
	await using tau = await openTau({ steps: ["Hello."] });
	await tau.until("played-1");
	tau.type("hi\r");
	await tau.until("Hello.");
	tau.type("/export nowhere/x.html\r");
	await tau.until(/Cannot write \S+nowhere\/x\.html:\s+the\s+folder\s+does\s+not\s+exist\./);
	expect(tau.scrollback()).not.toContain("ENOENT");
});

test("/theme applies each theme while it is selected, Escape restores the one before, Enter stores it", async () => {
	await using tau = await openTau(
		{ steps: ["Hello."] },
		{ background: "dark", env: { COLORTERM: "truecolor" } },
	);
	await tau.until("played-1");
	tau.type("hi\r");
	await tau.until("Hello.");
	const config = join(tau.home.agentDir, "config.yml");
	const dark = tau.colorOf("❯ hi");
	const changed = (): boolean => tau.colorOf("❯ hi") !== dark;
	tau.type("/theme\r");
	await tau.until("3. light");
	tau.press("down", "down");
	await tau.untilDrawn(changed, "showed the light theme");
	expect(existsSync(config) ? readFileSync(config, "utf8") : "").not.toContain("theme");
	tau.press("escape");
	await tau.untilDrawn(() => !changed(), "restored the theme");
	tau.type("/theme\r");
	await tau.until("3. light");
	tau.press("down", "down");
	await tau.untilDrawn(changed, "showed the light theme");
	tau.press("enter");
	await tau.untilFiles(() => existsSync(config) && /theme: light/.test(readFileSync(config, "utf8")));
	expect(changed()).toBe(true);
});

test("bash.enabled: false takes the tool from the model, and commands of the user still run", async () => {
	await using tau = await openTau({ steps: ["I see."] }, { settings: "bash:\n  enabled: false\n" });
	await tau.until("played-1");
	tau.type("!echo from $((40 + 2))\r");
	await tau.until("from 42");
	// A prompt does not wait for a command that still runs.
	await tau.untilGone(/! echo from .*[⠀-⣿]/);
	tau.type("what did it print?\r");
	await tau.until("I see.");
	const sent = tau.home.played.requests.at(-1)?.body as { tools: { name: string }[] };
	expect(sent.tools.map(({ name }) => name)).not.toContain("bash");
	expect(JSON.stringify(sent)).toContain("from 42");
});

test("--no-pty runs a command without a terminal, also one that asks for a terminal", async () => {
	const command = { command: "tty; test -t 1 && echo terminal || echo pipe", pty: true, async: true };
	const call = (name: string, args: Record<string, unknown>) => ({
		answer: { blocks: [{ toolCall: { name, arguments: args } }] },
	});
	const steps = [call("bash", command), call("job", { action: "poll", id: "1" })];
	for (const [flags, output] of [
		[[], "terminal"],
		[["--no-pty"], "pipe"],
	] as const) {
		// The end of the job may be a message of its own.
		await using home = await launch({ steps, fallback: { answer: "Done." } });
		const { code } = await home.run(["-p", "go", "--model", "played/played-1", ...flags]);
		expect(code).toBe(0);
		expect(home.played.requests.at(-1)?.rawBody.includes(`\\n${output}"`)).toBe(true);
	}
});

test.each(["nowhere.txt", "/dev/zero"])(
	"@%s on the command line is a usage error before anything is drawn",
	async (name) => {
		await using home = await launch({ steps: [] });
		const printed = await home.run(["-p", `@${name}`, "explain it", "--model", "played/played-1"]);
		await using tau = await openTau({ steps: [] }, { home, args: [`@${name}`, "explain it"] });
		expect(await tau.exited).toBe(printed.code);
		expect(tau.scrollback().trim()).toBe(printed.err.trim());
		expect(printed.err).toContain(name);
	},
);

test.each([
	["theme", /auto +current/],
	["mode", /auto +current · run what stays inside/],
])("the values of /%s that are offered show which one applies", async (name, shown) => {
	await using tau = await openTau({ steps: [] }, { cols: 100 });
	await tau.until(/% of 200k$/);
	tau.type(`/${name} `);
	await tau.until(shown);
	expect(tau.screen().match(/ current/g)).toHaveLength(1);
});
