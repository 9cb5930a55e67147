/** How this Tau was installed, which decides how it is updated. */
import { sep } from "node:path";

export type Installation =
	/** A released executable that can be replaced. */
	| { kind: "standalone"; path: string; platform: string; key: string }
	/** Another program owns the file. */
	| { kind: "managed"; by: string; command: string };

export interface Surroundings {
	execPath: string;
	/** What the release build put into the executable. */
	isExecutable: boolean;
	key: string | undefined;
	platform: string | undefined;
}

export function installationHere(): Installation {
	return installationOf({
		execPath: process.execPath,
		// Replaced by the build: see scripts/release/executable.ts.
		isExecutable: process.env.TAU_EXECUTABLE !== undefined,
		key: process.env.TAU_RELEASE_KEY,
		platform: process.env.TAU_RELEASE_PLATFORM,
	});
}

export function installationOf({ execPath, isExecutable, key, platform }: Surroundings): Installation {
	if (isExecutable && key !== undefined && platform !== undefined) {
		const folders = execPath.split(sep);
		if (folders.includes("node_modules"))
			return { kind: "managed", by: "npm", command: "npm install --global tau@latest" };
		if (folders.includes("Cellar")) return { kind: "managed", by: "Homebrew", command: "brew upgrade tau" };
		return { kind: "standalone", path: execPath, platform, key };
	}
	return { kind: "managed", by: "its sources", command: "git pull" };
}
