/** Brings native packages of other platforms: from the registry, checked against the lock file. */
import { mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";

const root = join(import.meta.dir, "../..");
const cache = join(root, "node_modules/.cache/tau/natives");

/** The directory of a package in the version of the lock file, for another platform than this one. */
export async function foreignPackage(name: string): Promise<string> {
	const { version, integrity } = await lockedPackage(name);
	const target = join(cache, `${name.replace("/", "+")}@${version}`);
	if (!(await Bun.file(join(target, "package.json")).exists()))
		await fetchPackage(name, version, integrity, target);
	return target;
}

/** The file that a module would load; undefined if the package is not installed beside it. */
export function installedFile(file: string, importer: string): string | undefined {
	try {
		return createRequire(importer).resolve(file);
	} catch {
		return undefined;
	}
}

async function lockedPackage(name: string): Promise<{ version: string; integrity: string }> {
	const lock = await readFile(join(root, "bun.lock"), "utf8");
	const line = lock.split("\n").find((text) => text.trimStart().startsWith(`"${name}": [`)) ?? "";
	const version = new RegExp(`\\["${name}@([^"]+)"`).exec(line)?.[1];
	const integrity = /"(sha512-[^"]+)"\],?$/.exec(line)?.[1];
	if (version === undefined || integrity === undefined) throw new Error(`bun.lock has no package ${name}`);
	return { version, integrity };
}

async function fetchPackage(name: string, version: string, integrity: string, target: string): Promise<void> {
	const registry = (process.env.npm_config_registry ?? "https://registry.npmjs.org").replace(/\/$/, "");
	const url = `${registry}/${name}/-/${name.split("/").at(-1)}-${version}.tgz`;
	const response = await fetch(url, { signal: AbortSignal.timeout(120_000) });
	if (!response.ok) throw new Error(`${url}: HTTP ${response.status}`);
	const bytes = await response.bytes();
	const found = `sha512-${new Bun.CryptoHasher("sha512").update(bytes).digest("base64")}`;
	if (found !== integrity)
		throw new Error(`${url} is not what bun.lock has: ${found} instead of ${integrity}`);
	await mkdir(cache, { recursive: true });
	// Extracted elsewhere and moved: a directory that is there is whole.
	const draft = await mkdtemp(join(cache, "draft-"));
	try {
		const tar = Bun.spawn(["tar", "xzf", "-", "-C", draft, "--strip-components=1"], { stdin: bytes });
		if ((await tar.exited) !== 0) throw new Error(`tar could not extract ${url}`);
		await rename(draft, target);
	} finally {
		await rm(draft, { recursive: true, force: true });
	}
}
