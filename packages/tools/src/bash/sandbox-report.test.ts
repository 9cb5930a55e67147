/** The model learns what the sandbox denied, and the user may let a command run outside. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "bun:test";

import { SessionSandbox } from "@tau/session/sandbox";
import { Settings } from "@tau/config/settings";
import { localMachine } from "@tau/sys";
import { withSandbox } from "@tau/machines/sandbox";

import { needs } from "../../../../test/support/needs.ts";
import { callTool, testToolEnv, textOf } from "../../../../test/support/tool-env.ts";
import { jobsService } from "./jobs.ts";
import { bash } from "./tool.ts";

const sandboxed = needs("bwrap", "nsenter");

interface Case {
	command(outside: string): string;
	/** Awaits the notification of a job instead of the result. */
	background?: boolean;
	/** The answer of the user. */
	mayRunOutside: boolean;
	mode?: string;
	/** Called with the directory outside. */
	prepare?(outside: string): void;
}

/** Runs one command in a project beside a directory that is read-only inside. */
async function run({
	command,
	mayRunOutside,
	mode = "auto",
	background = false,
	prepare,
}: Case): Promise<{ text: string; asked: string[]; outside: string }> {
	// The directory for temporary files is private inside.
	const root = realpathSync(
		mkdtempSync(join(homedir().startsWith(tmpdir()) ? "/opt" : homedir(), ".tau-denied-")),
	);
	const [cwd, outside] = [join(root, "project"), join(root, "outside")];
	for (const path of [cwd, outside]) await Bun.write(join(path, "file"), "");
	prepare?.(outside);
	const asked: string[] = [];
	const settings = await Settings.load({ cwd, agentDir: join(root, "agent") });
	try {
		await using sandbox = new SessionSandbox({
			cwd,
			env: { ...process.env, HOME: join(root, "home"), TAU_SANDBOX: "auto" },
			settings,
			policy: {
				mode: () => mode,
				canAsk: () => true,
				requestHost: async () => true,
				requestOutside: async (...[text, why, , onlyApproved]) => {
					if (!onlyApproved) asked.push(`${text}: ${why}`);
					return mayRunOutside;
				},
			},
		});
		const machine = withSandbox(localMachine(), sandbox.launcher);
		await using env = await testToolEnv({ cwd, machine, sandbox });
		const result = textOf(await callTool(bash.bind(env), { command: command(outside), async: background }));
		if (background) await env.services.get(jobsService, env).find("1")?.settled;
		const text = background ? env.delivered.join("\n") : result;
		return { text, asked, outside };
	} finally {
		rmSync(root, { recursive: true, force: true });
	}
}

sandboxed(
	"the model gets a precise line on what was denied, and the setting that would allow it",
	async () => {
		const { text, asked, outside } = await run({
			command: (path) => `touch ${path}/new`,
			mayRunOutside: false,
		});
		expect(text).toContain(`- ${outside}/new is read-only`);
		expect(text).toContain(`sandbox.writable: [${outside}]`);
		expect(text).toContain("Command exited with code 1");
		expect(asked).toEqual([`touch ${outside}/new: ${outside}/new is read-only`]);
	},
);

sandboxed("the end of a background job says what was denied", async () => {
	const { text, asked, outside } = await run({
		command: (path) => `touch ${path}/new`,
		mayRunOutside: true,
		background: true,
	});
	expect(text).toMatch(/^job 1 failed: exit code 1/);
	expect(text).toContain(`- ${outside}/new is read-only`);
	expect(asked).toEqual([]);
});

sandboxed("with a yes the command runs outside, once, in a shell of its own", async () => {
	const { text } = await run({
		command: (path) => `touch() { echo taken; command touch "$@"; }; touch ${path}/new && ls ${path}`,
		mayRunOutside: true,
	});
	expect(text).toContain("new");
	expect(text).toContain("Ran outside the sandbox");
});

sandboxed("a command that was approved to run outside does so, also if it hides its failure", async () => {
	const command = (path: string): string => `touch ${path}/new || true; ls ${path}`;
	const approved = await run({ command, mayRunOutside: true });
	expect(approved.text).toContain("Ran outside the sandbox");
	expect(approved.asked).toEqual([]);
	const { text, asked } = await run({ command, mayRunOutside: false });
	expect(text).not.toContain("Ran outside");
	expect(asked).toEqual([]);
});

sandboxed("a setting that allows several of the denied files is named once", async () => {
	const { text, outside } = await run({
		command: (path) => `touch ${path}/one ${path}/two`,
		mayRunOutside: false,
	});
	expect(text).toContain(`- ${outside}/two is read-only`);
	expect(text.split("sandbox.writable: [")).toHaveLength(2);
});

sandboxed("in plan mode no setting is named that would allow nothing", async () => {
	const { text, outside } = await run({
		command: (path) => `touch ${path}/new`,
		mayRunOutside: false,
		mode: "plan",
	});
	expect(text).toContain(`- ${outside}/new is read-only`);
	expect(text).not.toContain("settings");
});

sandboxed("a failure that the sandbox did not cause asks nothing", async () => {
	const { text, asked } = await run({ command: () => "cat missing; exit 4", mayRunOutside: true });
	expect(text).toContain("Command exited with code 4");
	expect(text).not.toContain("sandbox");
	expect(asked).toEqual([]);
});

needs(
	"bwrap",
	"nsenter",
	"git",
)("a push to a repository outside is asked about, and works outside", async () => {
	const push = (path: string): string =>
		`git init -q && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && git push ${path}/bare.git HEAD:main`;
	const prepared = (mayRunOutside: boolean): ReturnType<typeof run> =>
		run({
			command: push,
			mayRunOutside,
			prepare: (path) => void Bun.spawnSync(["git", "init", "-q", "--bare", join(path, "bare.git")]),
		});
	const refused = await prepared(false);
	expect(refused.asked).toEqual([expect.stringContaining("bare.git is read-only")]);
	expect(refused.text).toContain(`- ${refused.outside}/bare.git is read-only`);
});

sandboxed("after a yes, a failing lookup is no denial", async () => {
	const { text, asked } = await run({
		command: () => "curl -sS --max-time 30 http://packages.invalid/; false",
		mayRunOutside: false,
	});
	expect(text).toContain("[packages.invalid: DNS lookup failed (not blocked by the sandbox)]");
	expect(text).not.toContain("The sandbox denied");
	expect(asked).toEqual([]);
});
