/** pi's functions for paths and the shell. */
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** Tau's own directory: its sources, or its program. */
export function getPackageDir(): string {
	for (let at = import.meta.dirname; at !== dirname(at); at = dirname(at))
		if (existsSync(join(at, "packages")) && existsSync(join(at, "README.md"))) return at;
	return dirname(process.execPath);
}

export function getReadmePath(): string {
	return resolve(getPackageDir(), "README.md");
}

export function getDocsPath(): string {
	return resolve(getPackageDir(), "docs");
}

export function getExamplesPath(): string {
	return resolve(getPackageDir(), "examples");
}

interface ShellConfig {
	shell: string;
	args: string[];
}

/** What was named, else bash, else what every system has. */
export function getShellConfig(customShellPath?: string): ShellConfig {
	if (customShellPath !== undefined && !existsSync(customShellPath))
		throw new Error(`There is no shell ${customShellPath}.`);
	const match = customShellPath ?? (existsSync("/bin/bash") ? "/bin/bash" : Bun.which("bash"));
	return { shell: match ?? "sh", args: ["-c"] };
}

/** Throws if there is none. */
export function getPowerShellConfig(): ShellConfig {
	const shell = Bun.which("pwsh") ?? Bun.which("powershell");
	if (shell === null) throw new Error("There is no PowerShell on this machine.");
	return { shell, args: ["-NoProfile", "-NonInteractive", "-Command"] };
}
