/** The platforms that Tau is released for, and the native packages that each brings. */
export interface Platform {
	/** As in the names of files and packages: `linux-x64-musl`. */
	name: string;
	os: "linux" | "darwin" | "win32";
	cpu: "x64" | "arm64";
	libc?: "glibc" | "musl";
	/** What Bun compiles for. */
	target: Bun.Build.CompileTarget;
	ripgrep: string;
	/** The library of ast-grep. */
	engine: string;
}

export interface Released {
	platform: Platform;
	/** The archive's name, length and checksum. */
	file: string;
	size: number;
	sha256: string;
}

export const platforms: readonly Platform[] = [
	linux("x64", "glibc"),
	linux("arm64", "glibc"),
	linux("x64", "musl"),
	linux("arm64", "musl"),
	macOS("x64"),
	macOS("arm64"),
	{
		name: "windows-x64",
		os: "win32",
		cpu: "x64",
		target: "bun-windows-x64",
		ripgrep: "@vscode/ripgrep-win32-x64",
		engine: "@ast-grep/napi-win32-x64-msvc",
	},
];

function linux(cpu: Platform["cpu"], libc: "glibc" | "musl"): Platform {
	const isMusl = libc === "musl";
	return {
		name: `linux-${cpu}${isMusl ? "-musl" : ""}`,
		os: "linux",
		cpu,
		libc,
		target: isMusl ? `bun-linux-${cpu}-musl` : `bun-linux-${cpu}`,
		// Linked statically: one for both libraries.
		ripgrep: `@vscode/ripgrep-linux-${cpu}`,
		engine: `@ast-grep/napi-linux-${cpu}-${isMusl ? "musl" : "gnu"}`,
	};
}

function macOS(cpu: Platform["cpu"]): Platform {
	return {
		name: `darwin-${cpu}`,
		os: "darwin",
		cpu,
		target: `bun-darwin-${cpu}`,
		ripgrep: `@vscode/ripgrep-darwin-${cpu}`,
		engine: `@ast-grep/napi-darwin-${cpu}`,
	};
}

/** Undefined on a machine that no release is made for; sources still run there. */
export function platformHere(): Platform | undefined {
	return platforms.find(
		({ os, cpu, libc }) =>
			os === process.platform && cpu === process.arch && (libc === undefined || libc === libcHere()),
	);
}

function libcHere(): "glibc" | "musl" {
	const report = process.report?.getReport() as { header?: { glibcVersionRuntime?: string } } | undefined;
	return report?.header?.glibcVersionRuntime === undefined ? "musl" : "glibc";
}

export function executableName({ os }: Platform): string {
	return os === "win32" ? "tau.exe" : "tau";
}
