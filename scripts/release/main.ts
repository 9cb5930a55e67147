/**
 * `npm run release`: an executable for each platform, the npm packages, a Homebrew formula, an installer, files for
 * container images, a list of all parts (SBOM) and the changes of this version, with checksums, into `dist/release` (or
 * `--outdir DIR`). `--platform NAME` builds one; `--key FILE` signs with an Ed25519
 * key, without which `tau update` accepts nothing; `--level 0` neither compresses nor compiles to bytecode, for tests.
 */
import { createPrivateKey, createPublicKey, sign, type KeyObject } from "node:crypto";
import { createWriteStream } from "node:fs";
import { chmod, copyFile, cp, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { createGzip } from "node:zlib";

import { buildExecutable } from "./executable.ts";
import { formula } from "./formula.ts";
import { sbom } from "./sbom.ts";
import { mainPackage, platformPackage, tarball } from "./npm.ts";
import { changesOf, checkExecutable, checkManifests } from "./versions.ts";
import { executableName, platformHere, platforms, type Platform, type Released } from "./platforms.ts";

const root = join(import.meta.dir, "../..");
const usual = join(root, "dist/release");

const { values } = parseArgs({
	options: {
		outdir: { type: "string" },
		platform: { type: "string", multiple: true },
		key: { type: "string" },
		level: { type: "string", default: "9" },
	},
});
const level = Number(values.level);
const outdir = resolve(values.outdir ?? usual);
const { version, license, repository } = await Bun.file(join(root, "package.json")).json();

/** Only the usual place is ours to empty. */
async function prepare(): Promise<void> {
	if (outdir === usual) await rm(usual, { recursive: true, force: true });
	await mkdir(outdir, { recursive: true });
	if ((await readdir(outdir)).length > 0) throw new Error(`${outdir} is not empty: name another directory`);
}

function chosen(): readonly Platform[] {
	const names = values.platform?.map((name) => (name === "here" ? platformHere()?.name : name));
	const unknown = names?.find((name) => !platforms.some((platform) => platform.name === name));
	if (names && unknown !== undefined)
		throw new Error(`no platform ${unknown}: choose from ${platforms.map(({ name }) => name).join(", ")}`);
	return platforms.filter(({ name }) => !names || names.includes(name));
}

async function signingKey(): Promise<KeyObject | undefined> {
	if (values.key === undefined) return undefined;
	const key = createPrivateKey(await Bun.file(values.key).text());
	if (key.asymmetricKeyType !== "ed25519") throw new Error(`${values.key} is not an Ed25519 key`);
	return key;
}

async function build(platform: Platform, key: KeyObject | undefined): Promise<Released> {
	const folder = join(outdir, "executables", platform.name);
	const outfile = join(folder, executableName(platform));
	await mkdir(folder, { recursive: true });
	const releaseKey = key && createPublicKey(key).export({ type: "spki", format: "pem" }).toString();
	const options = {
		platform,
		outfile,
		bytecode: level > 0,
		...(releaseKey === undefined ? {} : { releaseKey }),
	};
	if (!(await buildExecutable(options))) throw new Error(`the build for ${platform.name} failed`);
	await chmod(outfile, 0o755);
	if (platform.name === platformHere()?.name) await checkExecutable(outfile, version);
	await copyFile(join(root, "LICENSE"), join(folder, "LICENSE"));
	const file = `tau-${version}-${platform.name}.tar.gz`;
	await copyFile(join(root, "docs/tau.1"), join(folder, "tau.1"));
	const packed = [executableName(platform), "LICENSE", "tau.1"];
	await pack(join(outdir, file), ["-C", folder, ...packed]);
	const bytes = Bun.file(join(outdir, file));
	const sha256 = new Bun.CryptoHasher("sha256").update(await bytes.bytes()).digest("hex");
	process.stderr.write(`${file}: ${(bytes.size / 1e6).toFixed(1)} MB\n`);
	return { platform, file, size: bytes.size, sha256 };
}

/** The program gzip has no level 0. */
async function pack(file: string, content: readonly string[]): Promise<void> {
	const tar = Bun.spawn(["tar", "cf", "-", ...content], {
		stdin: "ignore",
		stdout: "pipe",
		stderr: "inherit",
	});
	await pipeline(tar.stdout, createGzip({ level }), createWriteStream(file));
	if ((await tar.exited) !== 0) throw new Error("tar failed");
}

async function writeManifest(released: readonly Released[], key: KeyObject | undefined): Promise<void> {
	const files = released.map(({ platform, file, size, sha256 }) => ({
		platform: platform.name,
		file,
		size,
		sha256,
	}));
	const manifest = Buffer.from(`${JSON.stringify({ name: "tau", version, files }, undefined, "\t")}\n`);
	await writeFile(join(outdir, "release.json"), manifest);
	if (key)
		await writeFile(join(outdir, "release.json.sig"), `${sign(null, manifest, key).toString("base64")}\n`);
	const sums = [...released, await writeParts()].map(({ file, sha256 }) => `${sha256}  ${file}\n`).join("");
	await writeFile(join(outdir, "SHA256SUMS"), sums);
	if (key)
		await writeFile(
			join(outdir, "SHA256SUMS.sig"),
			`${sign(null, Buffer.from(sums), key).toString("base64")}\n`,
		);
}

/** The list of all parts, with the time of the commit: the same sources give the same file. */
async function writeParts(): Promise<Pick<Released, "file" | "sha256">> {
	const file = `tau-${version}.cdx.json`;
	const parts = `${JSON.stringify(await sbom({ version, license, timestamp: await committedAt() }), undefined, "\t")}\n`;
	await writeFile(join(outdir, file), parts);
	return { file, sha256: new Bun.CryptoHasher("sha256").update(parts).digest("hex") };
}

async function committedAt(): Promise<string> {
	const child = Bun.spawn(["git", "log", "-1", "--format=%ct"], {
		cwd: root,
		stdout: "pipe",
		stderr: "ignore",
	});
	const seconds = Number(await child.stdout.text());
	// Sources without a repository have no other time than now.
	return new Date(seconds > 0 ? seconds * 1000 : Date.now()).toISOString();
}

/** Each folder is what `docker build` takes, once the executable for Linux is copied into it. */
async function writeContainers(): Promise<void> {
	for (const name of ["tau", "relay", "gateway", "worker"])
		await cp(join(root, "deploy", name), join(outdir, "containers", name), {
			recursive: true,
			filter: (path) => basename(path) !== "tau" || path.endsWith("deploy/tau"),
		});
}

async function writeNotes(): Promise<void> {
	const changelog = await Bun.file(join(root, "CHANGELOG.md")).text();
	await writeFile(join(outdir, "CHANGES.md"), changesOf(changelog, version));
}

async function writePackages(released: readonly Released[]): Promise<void> {
	const about = { version, license, repository };
	for (const { platform } of released) {
		const folder = join(outdir, "npm", platform.name);
		await platformPackage(folder, join(outdir, "executables", platform.name), platform, about);
		process.stderr.write(`${await tarball(folder, outdir, level)}\n`);
	}
	const folder = join(outdir, "npm/tau");
	await mainPackage(folder, platforms, about);
	process.stderr.write(`${await tarball(folder, outdir, level)}\n`);
}

await checkManifests(root, version);
await prepare();
const wanted = chosen();
const key = await signingKey();
const released: Released[] = [];
for (const platform of wanted) released.push(await build(platform, key));
await writeManifest(released, key);
await writePackages(released);
await writeFile(join(outdir, "tau.rb"), formula({ version, license, repository, released }));
await writeContainers();
await writeNotes();
await copyFile(join(import.meta.dir, "install.sh"), join(outdir, "install.sh"));
await chmod(join(outdir, "install.sh"), 0o755);
if (!key) process.stderr.write("Not signed: tau update will not accept this release (see --key).\n");
process.stdout.write(`${outdir}\n`);
