/** omp's status line, for extensions that place it themselves; it shows what pi's footer shows. */
import { findRepository, readHead } from "@tau/sys";
import { visibleWidth } from "@tau/tui";

import { FooterComponent, type FooterSession } from "./footer.ts";

export class StatusLineComponent extends FooterComponent {
	readonly #statuses: Map<string, string>;
	readonly #git: { branch: string | null };
	#revision = 0;
	#workMs = 0;
	#workSince: number | undefined;

	/** `host` tells omp's about settings and accounts, which Tau's line does not show. */
	constructor(session: FooterSession, _host?: unknown) {
		const statuses = new Map<string, string>();
		const git: { branch: string | null } = { branch: null };
		super(session, {
			getGitBranch: () => git.branch,
			getExtensionStatuses: () => statuses,
			getAvailableProviderCount: () => 0,
			onBranchChange: () => () => {},
		});
		this.#statuses = statuses;
		this.#git = git;
	}

	/** Reads the branch; the line shows it from then on. */
	watchBranch(onBranchChange: () => void): void {
		void readBranch().then((branch) => {
			this.#git.branch = branch;
			this.invalidate();
			onBranchChange();
		});
	}

	setHookStatus(key: string, text: string | undefined): void {
		if (text === undefined) this.#statuses.delete(key);
		else this.#statuses.set(key, text);
		this.invalidate();
	}

	markActivityStart(): void {
		this.#workSince ??= performance.now();
	}

	markActivityEnd(): void {
		this.#workMs = this.getActiveMs();
		this.#workSince = undefined;
	}

	resetActiveTime(): void {
		this.#workMs = 0;
		if (this.#workSince !== undefined) this.#workSince = performance.now();
	}

	getActiveMs(): number {
		return this.#workMs + (this.getTurnElapsedMs() ?? 0);
	}

	getTurnElapsedMs(): number | null {
		return this.#workSince === undefined ? null : performance.now() - this.#workSince;
	}

	override invalidate(): void {
		this.#revision++;
	}

	/** For an editor that has the line in its border. */
	getTopBorder(width: number): { content: string; width: number; revision: number } {
		const content = this.render(width)[0] ?? "";
		return { content, width: visibleWidth(content), revision: this.#revision };
	}

	getPreviewLines(width: number): string[] {
		return this.render(width);
	}
}

async function readBranch(): Promise<string | null> {
	const repository = await findRepository(process.cwd());
	const head = repository && (await readHead(repository));
	return head?.branch ?? null;
}
