/** A token of the user for GitHub: of the environment, or the one that the program `gh` has. */
import { registerSecret } from "@tau/utils";

import type { ToolEnv } from "../tool/env.ts";
import type { ServiceKey } from "../tool/services.ts";
import { limits } from "./limits.ts";

/** Asked once for a session; undefined until then. */
interface Known {
	token: Promise<string | undefined> | undefined;
}

const known: ServiceKey<Known> = { name: "GitHub's token", create: () => ({ token: undefined }) };

/** Without `mayAsk`, only what is known without running anything. */
export async function githubToken(
	env: ToolEnv,
	mayAsk: boolean,
	signal: AbortSignal,
): Promise<string | undefined> {
	const written = env.env.GITHUB_TOKEN?.trim() || env.env.GH_TOKEN?.trim();
	if (written) {
		registerSecret(written);
		return written;
	}
	const slot = env.services.get(known, env);
	if (mayAsk) slot.token ??= askGh(env, signal);
	return await slot.token;
}

async function askGh({ machine, cwd, env }: ToolEnv, signal: AbortSignal): Promise<string | undefined> {
	let output = "";
	try {
		const { exitCode } = await machine.shell.run({
			command: "gh auth token --hostname github.com",
			cwd,
			env: Object.fromEntries(
				Object.entries(env).filter((each): each is [string, string] => each[1] !== undefined),
			),
			timeoutMs: limits.ghMs,
			signal,
			onOutput: (chunk) => {
				if (output.length < limits.errorChars) output += new TextDecoder().decode(chunk);
			},
		});
		const [token = ""] = /\bgh[a-z]_\w{20,}|\bgithub_pat_\w{20,}/.exec(output) ?? [];
		if (exitCode !== 0 || token === "") return undefined;
		registerSecret(token);
		return token;
	} catch {
		// Without `gh`, or where nothing may run, pages are read without a token.
		return undefined;
	}
}
