/** An environment for tools whose commands run in a real sandbox. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

import { SessionSandbox } from "@tau/session/sandbox";
import { Settings } from "@tau/config/settings";
import { localMachine } from "@tau/sys";
import { withSandbox } from "@tau/machines/sandbox";

import { testToolEnv, type TestToolEnv } from "./tool-env.ts";

/** The directory `outside` is read-only in it. */
export async function inSandbox(
	mayRunOutside: boolean,
	body: (env: TestToolEnv, outside: string, asked: readonly string[]) => Promise<void>,
): Promise<void> {
	// The directory for temporary files is private inside.
	const parent = homedir().startsWith(tmpdir()) ? "/opt" : homedir();
	const root = realpathSync(mkdtempSync(join(parent, ".tau-debug-")));
	try {
		const [cwd, outside] = [join(root, "project"), join(root, "outside")];
		for (const path of [cwd, outside]) await Bun.write(join(path, "file"), "");
		const settings = await Settings.load({ cwd, agentDir: join(root, "agent") });
		const environment = { ...process.env, HOME: join(root, "home"), TAU_SANDBOX: "auto" };
		const asked: string[] = [];
		const requestOutside = async (text: string): Promise<boolean> => asked.push(text) > 0 && mayRunOutside;
		const policy = { mode: () => "auto" as const, requestOutside };
		await using sandbox = new SessionSandbox({ cwd, env: environment, settings, policy });
		const machine = withSandbox(localMachine(), sandbox.launcher);
		await using env = await testToolEnv({ cwd, machine, sandbox });
		await body(env, outside, asked);
	} finally {
		rmSync(root, { recursive: true, force: true });
	}
}
