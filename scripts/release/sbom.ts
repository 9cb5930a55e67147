/** The parts of a release as CycloneDX 1.6 names them: everything of `bun.lock` that the application depends on. */
import { fileURLToPath } from "node:url";

interface Lock {
	readonly workspaces: Readonly<Record<string, Dependent & { name: string }>>;
	readonly packages: Readonly<Record<string, readonly [string, ...unknown[]]>>;
}

interface Dependent {
	readonly dependencies?: Readonly<Record<string, string>>;
	readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Part {
	readonly name: string;
	readonly version: string;
	/** Absent for a package of ours. */
	readonly integrity?: string;
	/** Keys of the lock. */
	readonly needs: readonly string[];
}

export interface SbomFacts {
	readonly version: string;
	readonly license: string;
	/** Of the build, so that the same release gives the same file. */
	readonly timestamp: string;
}

/** `path` is that of bun.lock. */
export async function sbom(
	{ version, license, timestamp }: SbomFacts,
	path: string = lockPath,
): Promise<object> {
	const lock = (await import(path, { with: { type: "jsonc" } })) as { default: Lock };
	const parts = partsOf(lock.default, "@tau/coding-agent", version);
	const refs = new Map([...parts].map(([key, part]) => [key, refOf(part)]));
	const application = { type: "application", "bom-ref": "tau", name: "tau", version };
	return {
		$schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
		bomFormat: "CycloneDX",
		specVersion: "1.6",
		version: 1,
		metadata: { timestamp, component: { ...application, licenses: [{ license: { id: license } }] } },
		components: [...new Map([...parts.values()].map((part) => [refOf(part), componentOf(part)])).values()],
		dependencies: [
			{ ref: "tau", dependsOn: ["@tau/coding-agent", "bun"].flatMap((key) => refs.get(key) ?? []) },
			...new Map(
				[...parts.values()].map((part) => {
					const dependsOn = [...new Set(part.needs.flatMap((key) => refs.get(key) ?? []))].toSorted();
					return [refOf(part), { ref: refOf(part), dependsOn }] as const;
				}),
			).values(),
		],
	};
}

const lockPath = fileURLToPath(new URL("../../bun.lock", import.meta.url));

/** Everything below the application, and the runtime that it is compiled with, by the key of the lock. */
function partsOf(lock: Lock, application: string, version: string): Map<string, Part> {
	const parts = new Map<string, Part>();
	const left = [application, "bun"];
	for (let key = left.pop(); key !== undefined; key = left.pop()) {
		if (parts.has(key)) continue;
		const part = partOf(lock, key, version);
		if (!part) continue;
		parts.set(key, part);
		left.push(...part.needs);
	}
	return new Map([...parts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function partOf({ workspaces, packages }: Lock, key: string, version: string): Part | undefined {
	const [id, ...rest] = packages[key] ?? [];
	if (id === undefined) return undefined;
	const at = id.lastIndexOf("@");
	const [name, own] = [id.slice(0, at), id.slice(at + 1)];
	const workspace = own.startsWith("workspace:") ? workspaces[own.slice("workspace:".length)] : undefined;
	const declared =
		workspace ?? (rest.find((each) => typeof each === "object") as Dependent | undefined) ?? {};
	const names = Object.keys({ ...declared.dependencies, ...declared.optionalDependencies });
	const integrity = rest.find((each) => typeof each === "string" && each.startsWith("sha512-"));
	return {
		name,
		version: workspace ? version : own,
		...(typeof integrity === "string" ? { integrity } : {}),
		needs: names.flatMap((needed) => keyOf(packages, key, needed) ?? []),
	};
}

/** As Node finds a package: beside the one that needs it, or further up. */
function keyOf(packages: Lock["packages"], from: string, needed: string): string | undefined {
	for (let folder = from; folder !== ""; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/"))))
		if (packages[`${folder}/${needed}`]) return `${folder}/${needed}`;
	return packages[needed] ? needed : undefined;
}

function refOf({ name, version }: Part): string {
	return `pkg:npm/${name.replace(/^@/, "%40")}@${version}`;
}

function componentOf(part: Part): object {
	const { name, version, integrity } = part;
	const [, group, own] = /^(@[^/]+)\/(.+)$/.exec(name) ?? [];
	return {
		type: "library",
		"bom-ref": refOf(part),
		...(group === undefined ? {} : { group }),
		name: own ?? name,
		version,
		purl: refOf(part),
		...(integrity === undefined ? {} : { hashes: [{ alg: "SHA-512", content: hexOf(integrity) }] }),
	};
}

function hexOf(integrity: string): string {
	return Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex");
}
