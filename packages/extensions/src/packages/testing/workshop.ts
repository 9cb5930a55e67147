/** A home for packages in a temporary directory, with a played registry. */
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	realpathSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { installPackages, type ChangeOptions, type Installed } from "../change.ts";
import { readSource } from "../source.ts";
import { readState, type PackageState } from "../state.ts";
import { projectHome, userHome, type PackageHome } from "../homes.ts";

/** A registry that a test plays. */
interface Played extends Disposable {
	readonly url: string;
}

export interface Workshop<R extends Played = Played> extends Disposable {
	readonly base: string;
	/** `~` */
	readonly home: string;
	readonly project: string;
	readonly agentDir: string;
	readonly registry: R;
	readonly user: PackageHome;
	readonly local: PackageHome;
	readonly options: ChangeOptions;
	/** Installs, and returns what was installed or the reason why not. */
	install(...sources: string[]): Promise<Installed[] | string>;
	state(): PackageState;
	/** The folders of the store. */
	folders(): string[];
	/** Writes files below a directory of the workshop, and returns the directory. */
	put(directory: string, files: Readonly<Record<string, string>>): string;
}

/** `play` starts the registry of each. */
export function workshopWith<R extends Played>(play: () => R): () => Workshop<R> {
	return () => openWith(play());
}

function openWith<R extends Played>(registry: R): Workshop<R> {
	const base = realpathSync(mkdtempSync(join(tmpdir(), "tau-packages-")));
	const [home, project] = [join(base, "home"), join(base, "project")];
	const agentDir = join(home, ".tau/agent");
	mkdirSync(agentDir, { recursive: true });
	mkdirSync(project);
	const user = userHome(agentDir);
	const env = { ...withoutNpm(process.env), HOME: home, npm_config_registry: registry.url };
	const options = { home: user, env };
	const sourceOf = (text: string) => {
		const read = readSource(text, { cwd: project, home });
		if (!read.ok) throw new Error(read.reason);
		return read;
	};
	return {
		base,
		home,
		project,
		agentDir,
		registry,
		user,
		local: projectHome(project),
		options,
		async install(...sources) {
			const done = await installPackages(sources.map(sourceOf), options);
			return done.ok ? done.value : done.reason;
		},
		state() {
			const read = readState(user.directory);
			if (!read.ok) throw new Error(read.reason);
			return read.state;
		},
		folders: () => {
			const store = join(user.directory, "store");
			return existsSync(store) ? readdirSync(store) : [];
		},
		put(directory, files) {
			const root = join(base, directory);
			for (const [path, text] of Object.entries(files)) {
				mkdirSync(dirname(join(root, path)), { recursive: true });
				writeFileSync(join(root, path), text);
			}
			return root;
		},
		[Symbol.dispose]() {
			registry[Symbol.dispose]();
			rmSync(base, { recursive: true, force: true });
		},
	};
}

/** A package with one extension. */
export const oneExtension = { "index.ts": "export default function () {}\n" };
export const piManifest = { pi: { extensions: ["./index.ts"] } };

/** `npm test` passes its own settings to child processes, which must not leak into a test. */
function withoutNpm(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	return Object.fromEntries(Object.entries(env).filter(([name]) => !/^npm_/i.test(name)));
}
