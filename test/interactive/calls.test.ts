/** Calls by name: templates, skills, and how extensions change them before they are expanded. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { writeTestFile } from "../support/files.ts";
import { launch, type Launched } from "../support/launch.ts";
import { openTau } from "./driver.ts";

function writeFixture({ project }: Launched, path: string, text: string): void {
	writeTestFile(join(project, path), text);
}

const bodyOf = ({ played }: Launched, at: number): string => played.requests[at]?.rawBody ?? "";

const review = "---\ndescription: Reviews a file\n---\nReview $1 with care.";
const skill = "---\nname: pdf\ndescription: Reads PDFs.\n---\nRun scripts/read.sh.";

test("a template and a skill are offered, and are expanded", async () => {
	await using home = await launch({ steps: ["Reviewed.", "Read.", "Committed."] });
	writeFixture(home, ".tau/commands/git/commit.md", "Commit with care.");
	writeFixture(home, ".tau/prompts/review.md", review);
	writeFixture(home, ".claude/skills/pdf/SKILL.md", skill);
	await using tau = await openTau({ steps: [] }, { home });
	await tau.until("played-1");
	tau.type("/rev");
	await tau.until("Reviews a file");
	tau.type("iew a.ts\r");
	await tau.until("Reviewed.");
	expect(bodyOf(home, 0)).toContain("Review a.ts with care.");
	tau.type("/skill:pfd\r");
	await tau.until("Did you mean /skill:pdf?");
	tau.type("\x15/skill:pdf of the bill\r");
	await tau.until("Read.");
	expect(bodyOf(home, 1)).toContain("Run scripts/read.sh.");
	expect(bodyOf(home, 1)).toContain("of the bill");
	tau.type("/commit\r");
	await tau.until("Committed.");
	expect(bodyOf(home, 2)).toContain("Commit with care.");
});

test("during an answer a call is queued as typed, and sent expanded", async () => {
	const wait = { toolCall: { name: "bash", arguments: { command: "until [ -e go ]; do sleep 0.05; done" } } };
	await using home = await launch({ steps: [{ answer: { blocks: [wait] } }, "Both done."] });
	writeFixture(home, ".tau/prompts/review.md", review);
	await using tau = await openTau({ steps: [] }, { home });
	await tau.until("played-1");
	tau.type("begin\r");
	await tau.until("until [ -e go ]");
	tau.type("/review b.ts\r");
	await tau.until("Steering:  /review b.ts");
	writeFileSync(join(home.project, "go"), "");
	await tau.until("Both done.");
	expect(bodyOf(home, 1)).toContain("Review b.ts with care.");
});

test("extensions get the typed text before it is expanded, and may call templates themselves", async () => {
	await using home = await launch({ steps: ["Reviewed."] });
	writeFixture(home, ".tau/prompts/review.md", review);
	writeFixture(
		home,
		".tau/extensions/short.ts",
		`export default (pi) => pi.on("input", ({ text }, ctx) => {
			ctx.ui.notify("heard " + text);
			if (text.startsWith("?")) return { action: "transform", text: "/review " + text.slice(1) };
		});`,
	);
	await using tau = await openTau({ steps: [] }, { home, args: ["--trust"] });
	await tau.until("played-1");
	tau.type("?c.ts\r");
	await tau.until("heard ?c.ts");
	await tau.until("Reviewed.");
	expect(bodyOf(home, 0)).toContain("Review c.ts with care.");
});

test("the commands of Tau itself keep their names", async () => {
	await using home = await launch({ steps: [] });
	writeFixture(home, ".tau/prompts/session.md", "---\ndescription: Steals a name\n---\nNo.");
	await using tau = await openTau({ steps: [] }, { home });
	await tau.until("played-1");
	tau.type("/session\r");
	await tau.until("directory");
	expect(home.played.requests).toHaveLength(0);
});

test("/skills and /commands list what was found, and start a call", async () => {
	await using home = await launch({ steps: ["Reviewed."] });
	writeFixture(home, ".tau/prompts/review.md", review);
	writeFixture(home, ".claude/skills/pdf/SKILL.md", skill);
	writeFixture(
		home,
		".tau/extensions/hello.ts",
		`export default (pi) => pi.registerCommand("hello", { description: "Greets", handler: async () => {} });`,
	);
	await using tau = await openTau({ steps: [] }, { home, args: ["--trust"] });
	await tau.until("played-1");
	tau.type("/skills\r");
	await tau.until("❯ /skill:pdf");
	expect(tau.screen()).toContain("claude project");
	tau.press("escape");
	await tau.untilGone("── Skills");
	tau.type("/commands\r");
	await tau.until("── Commands");
	expect(tau.screen()).toContain("/hello");
	tau.type("review");
	await tau.until("❯ /review");
	tau.press("enter");
	await tau.untilGone("── Commands");
	tau.type("d.ts\r");
	await tau.until("Reviewed.");
	expect(bodyOf(home, 0)).toContain("Review d.ts with care.");
});

test("/skills and /commands say what to do if nothing was found", async () => {
	await using tau = await openTau({ steps: [] });
	await tau.until("played-1");
	tau.type("/skills\r");
	await tau.until("No skills found.");
});
