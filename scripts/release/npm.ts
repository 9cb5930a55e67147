/** The npm packages of a release: `tau`, which starts the executable of the platform, and one package for each platform. */
import { chmod, copyFile, link, mkdir } from "node:fs/promises";
import { basename, join } from "node:path";

import { executableName, type Platform } from "./platforms.ts";

const root = join(import.meta.dir, "../..");

export interface About {
	version: string;
	license: string;
	repository: { type: string; url: string };
}

export function packageName({ name }: Platform): string {
	return `@tau/tau-${name}`;
}

export async function platformPackage(
	folder: string,
	built: string,
	platform: Platform,
	{ version, license, repository }: About,
): Promise<void> {
	const executable = executableName(platform);
	await mkdir(join(folder, "bin"), { recursive: true });
	await link(join(built, executable), join(folder, "bin", executable));
	await copyFile(join(root, "LICENSE"), join(folder, "LICENSE"));
	await writeJson(join(folder, "package.json"), {
		name: packageName(platform),
		version,
		description: `The executable of Tau for ${platform.name}`,
		license,
		repository,
		os: [platform.os],
		cpu: [platform.cpu],
		...(platform.libc ? { libc: [platform.libc] } : {}),
		files: ["bin"],
		preferUnplugged: true,
		publishConfig: { access: "public" },
	});
}

/** Nothing runs when it is installed: npm chooses the platform's package by its fields. */
export async function mainPackage(
	folder: string,
	platforms: readonly Platform[],
	{ version, license, repository }: About,
): Promise<void> {
	await mkdir(join(folder, "bin"), { recursive: true });
	await copyFile(join(import.meta.dir, "start.mjs"), join(folder, "bin/tau.mjs"));
	await chmod(join(folder, "bin/tau.mjs"), 0o755);
	await copyFile(join(root, "LICENSE"), join(folder, "LICENSE"));
	await copyFile(join(root, "README.md"), join(folder, "README.md"));
	await copyFile(join(root, "docs/tau.1"), join(folder, "tau.1"));
	await writeJson(join(folder, "package.json"), {
		name: "tau",
		version,
		description: "A coding agent for the terminal",
		license,
		repository,
		type: "module",
		bin: { tau: "bin/tau.mjs" },
		man: ["./tau.1"],
		files: ["bin", "tau.1"],
		engines: { node: ">=20" },
		optionalDependencies: Object.fromEntries(platforms.map((platform) => [packageName(platform), version])),
		publishConfig: { access: "public" },
	});
}

async function writeJson(path: string, value: object): Promise<void> {
	await Bun.write(path, `${JSON.stringify(value, undefined, "\t")}\n`);
}

/** Returns the path of the packed file; `level` is that of gzip. */
export async function tarball(directory: string, outdir: string, level = 9): Promise<string> {
	const command = [process.execPath, "pm", "pack", "--destination", outdir, "--ignore-scripts", "--quiet"];
	const child = Bun.spawn([...command, "--gzip-level", String(level)], {
		cwd: directory,
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
	});
	const [output, problems, code] = await Promise.all([
		child.stdout.text(),
		child.stderr.text(),
		child.exited,
	]);
	if (code !== 0) throw new Error(`bun pm pack failed:\n${problems}`);
	return join(outdir, basename(output.trim()));
}
