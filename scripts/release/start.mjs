#!/usr/bin/env node
// Starts the executable that npm installed for this platform.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { constants } from "node:os";

const require = createRequire(import.meta.url);

function isMusl() {
	return process.platform === "linux" && process.report.getReport().header.glibcVersionRuntime === undefined;
}

function executable() {
	const system = process.platform === "win32" ? "windows" : process.platform;
	const name = `@tau/tau-${system}-${process.arch}${isMusl() ? "-musl" : ""}`;
	try {
		return require.resolve(`${name}/bin/${process.platform === "win32" ? "tau.exe" : "tau"}`);
	} catch {
		console.error(
			`tau: the package ${name} is not installed. Either Tau is not released for this platform, or optional dependencies were left out: npm install --global tau --include=optional`,
		);
		process.exit(1);
	}
}

const child = spawn(executable(), process.argv.slice(2), { stdio: "inherit" });
// The terminal sends its signals to both; the child decides when to end.
for (const signal of ["SIGINT", "SIGQUIT", "SIGTSTP"]) process.on(signal, () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
	console.error(`tau: ${error.message}`);
	process.exit(1);
});
child.on("exit", (code, signal) => {
	// The loader of musl has listed what it did not find.
	if (code === 127 && isMusl())
		console.error("tau: the executable needs libstdc++ and libgcc. On Alpine: apk add libstdc++ libgcc");
	process.exit(signal === null ? code : 128 + constants.signals[signal]);
});
