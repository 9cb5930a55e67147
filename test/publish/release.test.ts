/** A release for this platform: built, installed in each of its ways, and updated. */
// takes 33 s
import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test";
import { createPublicKey, generateKeyPairSync, sign, verify, type KeyObject } from "node:crypto";
import { chmod, copyFile, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { platformHere } from "../../scripts/release/platforms.ts";
import { launch, root } from "../support/launch.ts";
import { needs } from "../support/needs.ts";

// One build, and archives of 160 MB.
setDefaultTimeout(300_000);

const platform = platformHere()?.name ?? "";
const { version } = await Bun.file(join(root, "package.json")).json();
let folder = "";
let release = "";
let privateKey: KeyObject;
let server: ReturnType<typeof Bun.serve>;
const base = (): string => `http://127.0.0.1:${server.port}`;

interface Ran {
	code: number;
	out: string;
	err: string;
}

async function run(command: string[], env: Record<string, string> = {}): Promise<Ran> {
	const child = Bun.spawn(command, {
		cwd: folder,
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
		env: { PATH: process.env.PATH, HOME: join(folder, "home"), ...env },
	});
	const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
	return { code, out, err };
}

/** Its parts bear the time of the commit. */
const released = needs("git");

beforeAll(async () => {
	if (Bun.which("git") === null) return;
	folder = await mkdtemp(join(tmpdir(), "tau-release-"));
	release = join(folder, "release");
	await mkdir(join(folder, "home"));
	const pair = generateKeyPairSync("ed25519");
	({ privateKey } = pair);
	const key = join(folder, "key.pem");
	await writeFile(key, privateKey.export({ type: "pkcs8", format: "pem" }));
	const script = join(root, "scripts/release/main.ts");
	const options = ["--platform", "here", "--key", key, "--outdir", release, "--level", "0"];
	const built = await run([process.execPath, script, ...options]);
	if (built.code !== 0) throw new Error(built.err);
	server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		async fetch({ url }) {
			const file = Bun.file(join(folder, new URL(url).pathname));
			return (await file.exists()) ? new Response(file) : new Response("none", { status: 404 });
		},
	});
});

afterAll(async () => {
	await server?.stop(true);
	if (folder !== "") await rm(folder, { recursive: true, force: true });
});

released(
	"the release has an archive, checksums, a signature, packages, a formula and an installer",
	async () => {
		expect((await readdir(release)).toSorted()).toEqual(
			[
				"CHANGES.md",
				"SHA256SUMS",
				"SHA256SUMS.sig",
				"containers",
				"executables",
				"install.sh",
				"npm",
				"release.json",
				"release.json.sig",
				`tau-${version}-${platform}.tar.gz`,
				`tau-${version}.cdx.json`,
				`tau-${version}.tgz`,
				`tau-tau-${platform}-${version}.tgz`,
				"tau.rb",
			].toSorted(),
		);
		const formula = await Bun.file(join(release, "tau.rb")).text();
		const sums = await Bun.file(join(release, "SHA256SUMS")).text();
		expect(formula).toContain(`sha256 "${sums.split(" ")[0]}"`);
		const manifest = await Bun.file(join(release, "npm/tau/package.json")).json();
		expect(manifest.scripts).toBeUndefined();
		expect(Object.keys(manifest.optionalDependencies)).toHaveLength(7);
	},
);

released(
	"the release lists its parts with their checksums, brings files for containers, and says what has changed",
	async () => {
		const parts = await Bun.file(join(release, `tau-${version}.cdx.json`)).json();
		expect(parts).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6" });
		const sums = await Bun.file(join(release, "SHA256SUMS")).text();
		expect(sums).toContain(`  tau-${version}.cdx.json`);
		const signature = Buffer.from(await Bun.file(join(release, "SHA256SUMS.sig")).text(), "base64");
		expect(verify(null, Buffer.from(sums), createPublicKey(privateKey), signature)).toBe(true);
		for (const name of ["tau", "relay", "gateway", "worker"])
			expect(await Bun.file(join(release, "containers", name, "Dockerfile")).text()).toContain("COPY tau ");
		expect(await Bun.file(join(release, "CHANGES.md")).text()).toStartWith("## ");
	},
);

released("the executable answers, searches and parses code without a node_modules", async () => {
	const tau = join(release, "executables", platform, "tau");
	await writeFile(join(folder, "sample.py"), "def greet(name):\n    return name\n");
	expect(await run([tau, "--version"])).toMatchObject({ code: 0, out: `${version}\n` });
	const found = await run([tau, "grep", "greet", "sample.py"], { PATH: "/usr/bin:/bin" });
	expect(found.out).toContain("def greet");
	await using played = await launch({
		steps: [
			{
				answer: {
					blocks: [
						{
							toolCall: {
								name: "ast_grep",
								arguments: { pattern: "def $F($$$A): $$$B", lang: "python", path: join(folder, "sample.py") },
							},
						},
					],
				},
			},
			"Parsed.",
		],
	});
	expect((await run([tau, "-p", "--model", "played/played-1", "go"], played.env)).out).toBe("Parsed.\n");
	expect(played.played.requests[1]?.rawBody).toContain("$F=greet");
	const answered = await run([tau, "-p", "--no-session", "hello"], {
		PATH: "/usr/bin:/bin",
	});
	expect(answered.code).toBe(0);
	expect(answered.out.trim()).not.toBe("");
});

needs("git", "curl")(
	"the installer checks the archive and puts the executable where it is told",
	async () => {
		const target = join(folder, "bin");
		const env = { TAU_RELEASES_URL: `${base()}/release`, TAU_INSTALL_DIR: target };
		const done = await run(["sh", join(release, "install.sh")], env);
		expect(done.err).toBe("");
		expect(done.out).toContain(`Installed Tau ${version} as ${target}/tau.`);
		expect((await run([join(target, "tau"), "--version"])).out).toBe(`${version}\n`);
		const bad = join(folder, "bad");
		await mkdir(bad);
		await writeFile(join(bad, "SHA256SUMS"), `${"0".repeat(64)}  tau-${version}-${platform}.tar.gz\n`);
		await writeFile(join(bad, `tau-${version}-${platform}.tar.gz`), "something else");
		const refused = await run(["sh", join(release, "install.sh")], {
			TAU_RELEASES_URL: `${base()}/bad`,
			TAU_INSTALL_DIR: join(folder, "other"),
		});
		expect(refused.code).toBe(1);
		expect(refused.err).toContain("nothing was installed");
	},
);

needs("git", "npm")(
	"the npm package starts the executable of the platform, with its arguments and exit code",
	async () => {
		const project = join(folder, "project");
		await mkdir(project);
		await writeFile(join(project, "package.json"), '{"private":true}');
		const tarballs = [`tau-${version}.tgz`, `tau-tau-${platform}-${version}.tgz`].map((name) =>
			join(release, name),
		);
		const installed = await run([
			"npm",
			"install",
			"--prefix",
			project,
			"--ignore-scripts",
			"--no-audit",
			"--no-fund",
			// The other platforms' packages are in no registry yet.
			"--offline",
			...tarballs,
		]);
		expect({ code: installed.code, err: installed.code === 0 ? "" : installed.err }).toEqual({
			code: 0,
			err: "",
		});
		const tau = join(project, "node_modules/.bin/tau");
		expect((await run([tau, "--version"])).out).toBe(`${version}\n`);
		expect((await run([tau, "--no-such-flag"])).code).toBe(2);
		expect((await run([tau, "update", "--self"])).out).toContain("npm install --global tau@latest");
	},
);

/** A newer release whose executable is a script, signed by `key`. */
async function publish(name: string, key: KeyObject, sha256?: string): Promise<void> {
	const place = join(folder, name);
	await mkdir(place);
	await writeFile(join(place, "tau"), "#!/bin/sh\necho 99.0.0\n");
	await chmod(join(place, "tau"), 0o755);
	await run(["tar", "czf", join(place, "new.tar.gz"), "-C", place, "tau"]);
	const bytes = await Bun.file(join(place, "new.tar.gz")).bytes();
	const sum = sha256 ?? new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
	const file = { platform, file: "new.tar.gz", size: bytes.length, sha256: sum };
	const manifest = Buffer.from(JSON.stringify({ name: "tau", version: "99.0.0", files: [file] }));
	await writeFile(join(place, "release.json"), manifest);
	await writeFile(join(place, "release.json.sig"), sign(null, manifest, key).toString("base64"));
}

released("tau update replaces the executable only by what the release key has signed", async () => {
	const tau = join(folder, "own/tau");
	await mkdir(join(folder, "own"));
	await copyFile(join(release, "executables", platform, "tau"), tau);
	const before = (await stat(tau)).size;
	const update = (place: string, ...flags: string[]): Promise<Ran> =>
		run([tau, "update", "--self", ...flags], { TAU_RELEASES_URL: `${base()}/${place}` });

	expect((await update("release")).out).toBe(`Tau ${version} is the newest version.\n`);
	await publish("forged", generateKeyPairSync("ed25519").privateKey);
	expect(await update("forged")).toMatchObject({ code: 1, err: expect.stringContaining("signature") });
	await publish("swapped", privateKey, "0".repeat(64));
	expect(await update("swapped")).toMatchObject({ code: 1, err: expect.stringContaining("checksum") });
	expect(await update("nowhere")).toMatchObject({ code: 1, err: expect.stringContaining("HTTP 404") });
	await publish("newer", privateKey);
	expect((await update("newer", "--check")).out).toContain("Tau 99.0.0 is available");
	expect((await stat(tau)).size).toBe(before);

	expect((await update("newer")).out).toContain(`Updated Tau from ${version} to 99.0.0.`);
	expect((await run([tau])).out).toBe("99.0.0\n");
	expect(await readdir(join(folder, "own"))).toEqual(["tau"]);
});
