/** What there is to know about the machine without starting a program. */
import { readFileSync } from "node:fs";
import { arch, cpus, platform, release, totalmem } from "node:os";
import { basename } from "node:path";

import { parseDotenv } from "@tau/utils";

export interface SystemInfo {
	/** `linux`, `darwin` or `win32`. */
	platform: string;
	/** As people call it: "Debian GNU/Linux 12 (bookworm)". */
	name: string;
	/** Of the kernel. */
	release: string;
	arch: string;
	/** The model of the processor, where the system tells. */
	cpu?: string;
	cores: number;
	memoryBytes: number;
	/** The user's shell and terminal, by their names. */
	shell?: string;
	terminal?: string;
}

let known: SystemInfo | undefined;

/** The same value each time: nothing of it changes while a program runs. */
export function systemInfo(): SystemInfo {
	return (known ??= look());
}

function look(): SystemInfo {
	const processors = cpus();
	const cpu = processors[0]?.model.trim();
	const { SHELL, TERM_PROGRAM, TERM } = process.env;
	const terminal = TERM_PROGRAM || TERM;
	return {
		platform: platform(),
		name: systemName(),
		release: release(),
		arch: arch(),
		...(cpu && cpu !== "unknown" ? { cpu } : {}),
		cores: processors.length,
		memoryBytes: totalmem(),
		...(SHELL ? { shell: basename(SHELL) } : {}),
		...(terminal ? { terminal } : {}),
	};
}

const families: Partial<Record<NodeJS.Platform, string>> = {
	darwin: "macOS",
	win32: "Windows",
	linux: "Linux",
};

function systemName(): string {
	const family = families[platform()] ?? platform();
	if (platform() !== "linux") return family;
	try {
		return parseDotenv(readFileSync("/etc/os-release", "utf8")).PRETTY_NAME || family;
	} catch {
		// A distribution that does not say its name.
		return family;
	}
}
