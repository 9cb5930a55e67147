/** What a list of issues or pull requests on GitHub asks for, as a search of its API. */
import { limits } from "../limits.ts";
import { decoded, pageOf } from "./site.ts";

export interface IssueSearch {
	/** The path and query for the API. */
	readonly path: string;
	/** The search as words, for the title. */
	readonly words: string;
	readonly page: number;
}

export type IssueKind = "issues" | "pulls";

/** Qualifiers that would lead to other repositories, which the user's token may read. */
const elsewhere = /(?:^|\s)-?(?:repo|org|user|enterprise|owner):(?:"[^"]*"|\S*)/gi;

/**
 * The filters of the page's address (`q`, or `state`, `labels`, `author`, …); without any, what is open. The plain list
 * of the API has issues and pull requests mixed, so that a page of it may have none of one kind.
 */
export function issueSearch(repo: string, kind: IssueKind, url: URL, label?: string): IssueSearch {
	const typed = (url.searchParams.get("q") ?? "").replace(elsewhere, " ").replace(/\s+/g, " ").trim();
	const sort = /(?:^|\s)sort:(\w+)-(asc|desc)/i.exec(typed);
	const words = [typed === "" ? filters(url) : typed.replace(/(?:^|\s)sort:\S+/gi, " ").trim()];
	if (label !== undefined) words.push(quotedLabel(decoded(label)));
	if (!/(?:^|\s)(?:is|type):(?:issue|pr|pull-?request)\b/i.test(typed))
		words.unshift(kind === "pulls" ? "is:pr" : "is:issue");
	const search = words.filter(Boolean).join(" ");
	const query = new URLSearchParams({
		q: `repo:${repo} ${search}`,
		sort: sort?.[1] ?? "created",
		order: sort?.[2] ?? "desc",
		per_page: `${limits.siteIssues}`,
	});
	const page = pageOf(url);
	if (page > 1) query.set("page", `${page}`);
	return { path: `/search/issues?${query.toString()}`, words: search, page };
}

function filters({ searchParams }: URL): string {
	const state = searchParams.get("state") ?? "open";
	const labels = (searchParams.get("labels") ?? "").split(",").filter((name) => name.trim() !== "");
	const names = ["author", "assignee", "milestone"].flatMap((key) => {
		const value = (searchParams.get(key) ?? "").replaceAll('"', "").trim();
		return value === "" ? [] : [`${key}:"${value}"`];
	});
	return [
		...(state === "all" ? [] : [`is:${state === "closed" ? "closed" : "open"}`]),
		...labels.map(quotedLabel),
		...names,
	].join(" ");
}

function quotedLabel(name: string): string {
	return `label:"${name.replaceAll('"', "").trim()}"`;
}
