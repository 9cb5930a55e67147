/** The list of sessions: refreshed while it is visible. */
import { computed, effect, signal } from "@preact/signals";

import { limits } from "../limits.ts";
import { vault } from "../offline/vault.ts";
import { accessKey, api, SignedOutError, type SessionList, type SessionSummary } from "./api.ts";

export const search = signal("");
export const project = signal<string | undefined>(undefined);
export const showArchived = signal(false);
export const isSignedOut = signal(false);
export const isOffline = signal(false);
export const list = signal<SessionList | undefined>(undefined);

/** Who waits for an answer first, then who works, then what is pinned, then the newest. */
export const shownSessions = computed<readonly SessionSummary[]>(() => {
	const sessions = list.value?.sessions ?? [];
	const inProject = sessions.filter(({ cwd }) => project.value === undefined || cwd === project.value);
	return inProject.toSorted((one, other) => rank(one) - rank(other) || other.modifiedAt - one.modifiedAt);
});

export const waitingCount = computed(
	() => (list.value?.sessions ?? []).filter(({ waiting }) => waiting > 0).length,
);

export function isWorking({ phase }: SessionSummary): boolean {
	return phase !== undefined && phase !== "idle" && phase !== "closed";
}

function rank(session: SessionSummary): number {
	if (session.waiting > 0) return 0;
	if (isWorking(session)) return 1;
	return session.isPinned ? 2 : 3;
}

const keptList = "list";
let keptText = "";
/** Not at once: when the page starts, it has more urgent things to do than to open its store and seal. */
let keeping: ReturnType<typeof setTimeout> | undefined;
let unkept: SessionList | undefined;

/** To be read without a network. The answer to a search or a filter is not the list. */
function keepList(shown: SessionList): void {
	const text = JSON.stringify(shown);
	const isFiltered = search.peek() !== "" || project.peek() !== undefined || showArchived.peek();
	if (isFiltered || text === keptText) return;
	keptText = text;
	unkept = shown;
	keeping ??= setTimeout(keepNow, limits.keepMs);
}

/** Also when the page goes to the background, from where it may not come back. */
function keepNow(): void {
	clearTimeout(keeping);
	keeping = undefined;
	// Without a store, the page only works with a network.
	if (unkept) vault.keep(keptList, unkept).catch(() => {});
	unkept = undefined;
}

/** The server does not know this browser any more: nothing of the sessions stays in it. */
function signedOut(): void {
	isSignedOut.value = true;
	vault.forgetAll();
}

/** Why the link did not let this browser in. */
export const signInProblem = signal<string | undefined>(undefined);

/** Lets this browser in by the token of a link. One that is known already stays so, whatever the link. */
export async function signIn(token: string): Promise<void> {
	try {
		await api.login(token);
		signInProblem.value = undefined;
		isSignedOut.value = false;
	} catch (error) {
		signInProblem.value = error instanceof Error ? error.message : String(error);
		if (accessKey() === "") isSignedOut.value = true;
	}
}

export async function signOut(): Promise<void> {
	await api.logout();
	signedOut();
	// What is open in the page is gone with it.
	location.hash = "";
	location.reload();
}

let asking: AbortController | undefined;

export async function refresh(): Promise<void> {
	asking?.abort();
	const mine = (asking = new AbortController());
	const deadline = setTimeout(() => mine.abort(), limits.requestMs);
	try {
		const wanted = { search: search.peek(), project: project.peek(), isArchived: showArchived.peek() };
		list.value = await api.sessions(wanted, mine.signal);
		isSignedOut.value = isOffline.value = false;
		keepList(list.value);
	} catch (error) {
		if (mine !== asking) return;
		if (error instanceof SignedOutError) return signedOut();
		isOffline.value = true;
		list.value ??= (await vault.kept<SessionList>(keptList))?.value;
	} finally {
		clearTimeout(deadline);
	}
}

/** Asks now, when the search or the filter changes, and again every few seconds while the page is visible. */
export function watchSessions(): Disposable {
	let timer: ReturnType<typeof setInterval> | undefined;
	const start = (..._: unknown[]): void => {
		clearInterval(timer);
		if (document.hidden) keepNow();
		if (document.hidden || isSignedOut.value) return;
		void refresh();
		timer = setInterval(() => void refresh(), limits.listMs);
	};
	const stop = effect(() => {
		// Read here, so that a change of any of them asks anew.
		start(search.value, showArchived.value, project.value);
	});
	document.addEventListener("visibilitychange", start);
	return {
		[Symbol.dispose]() {
			stop();
			clearInterval(timer);
			document.removeEventListener("visibilitychange", start);
		},
	};
}
