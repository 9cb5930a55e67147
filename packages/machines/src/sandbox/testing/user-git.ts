/** Git as the user runs it, outside, on a repository that a command may have armed. */
import { existsSync } from "node:fs";
import { join } from "node:path";

import type { SandboxFixture } from "./sandbox-fixture.ts";

const identity = ["-c", "user.name=u", "-c", "user.email=u@example.org", "-c", "protocol.file.allow=always"];
export const usual = [["status"], ["commit", "--allow-empty", "-m", "x"], ["st"]];

/** Runs git as the user would, and returns whether a program of the project ran. */
export function gitRuns(
	box: SandboxFixture,
	directory: string,
	commands: readonly (readonly string[])[] = usual,
	variables: Readonly<Record<string, string>> = {},
): boolean {
	const usualVariables = { HOME: box.home, GIT_CONFIG_NOSYSTEM: "1", GIT_EDITOR: "true" };
	const env = { PATH: process.env.PATH, ...usualVariables, ...variables };
	for (const args of commands)
		Bun.spawnSync(["git", ...identity, ...args], { cwd: join(box.cwd, directory), env });
	return existsSync(join(box.home, "ESCAPED"));
}

/** A function of the shell that gives a repository hooks and settings which leave a mark in the home directory. */
export function evil(box: SandboxFixture): string {
	return `evil() { mkdir -p "$1/hooks"; printf '#!/bin/sh\\ntouch ${box.home}/ESCAPED\\n' | tee "$1/hooks/pre-commit" "$1/hooks/post-checkout" > run; chmod +x run "$1/hooks"/*; git config -f "$1/config" core.fsmonitor "$PWD/run"; git config -f "$1/config" alias.st "!$PWD/run"; }`;
}
