/** Facts about the machine, collected without starting a program. */
import { readFileSync } from "node:fs";
import { arch, cpus, platform, release, totalmem } from "node:os";
import { basename } from "node:path";

import { parseDotenv } from "@tau/utils";

export interface SystemInfo {
	/** `linux`, `darwin` or `win32`. */
	platform: string;
	/** The common name, such as "Debian GNU/Linux 12 (bookworm)". */
	name: string;
	/** The release of the kernel. */
	release: string;
	arch: string;
	/** The model of the processor, if the system reports it. */
	cpu?: string;
	cores: number;
	memoryBytes: number;
	/** The user's shell and terminal, by name. */
	shell?: string;
	terminal?: string;
}

let known: SystemInfo | undefined;

/** Returns the same value each time: none of it changes while a program runs. */
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
		// The distribution does not state its name.
		return family;
	}
}
