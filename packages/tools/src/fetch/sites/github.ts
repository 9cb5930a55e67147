/** GitHub: repositories, files, directories, issues, pull requests, commits, comparisons, releases, runs and gists. */
import { fenced } from "@tau/utils";

import { at, firstText, listAt, numberAt, textAt } from "../../json/read.ts";
import { limits } from "../limits.ts";
import { issueSearch, type IssueSearch } from "./github-search.ts";
import {
	day,
	decoded,
	encoded,
	facts,
	isPlainPart,
	listed,
	optional,
	pageOf,
	paragraphs,
	partShown,
	section,
	SiteFailure,
	type SiteIo,
	type SitePage,
	type SiteReader,
	type SiteRequest,
} from "./site.ts";

const api = "https://api.github.com";
const asRaw = "application/vnd.github.raw+json";
const asDiff = "application/vnd.github.diff";

/** Asks with the user's token; where a request without one is refused, `gh` may have one. */
class GitHub {
	readonly #io: SiteIo;

	constructor(io: SiteIo) {
		this.#io = io;
	}

	json(path: string): Promise<unknown> {
		return this.#ask((headers) =>
			this.#io.json(`${api}${path}`, { accept: "application/vnd.github+json", ownHeaders: headers }),
		);
	}

	text(path: string, accept: string): Promise<string> {
		return this.#ask((headers) => this.#io.text(`${api}${path}`, { accept, ownHeaders: headers }));
	}

	async #ask<T>(request: (headers: Record<string, string>) => Promise<T>): Promise<T> {
		const token = await this.#io.githubToken(false);
		try {
			return await request(headersFor(token));
		} catch (error) {
			// A private repository is answered with 404.
			const isRefused = error instanceof SiteFailure && [401, 403, 404, 429].includes(error.status ?? 0);
			const other = isRefused && token === undefined ? await this.#io.githubToken(true) : undefined;
			if (other === undefined) throw error;
			return await request(headersFor(other));
		}
	}
}

function headersFor(token: string | undefined): Record<string, string> {
	return {
		"X-GitHub-Api-Version": "2022-11-28",
		...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
	};
}

type View = (
	repo: string,
	rest: readonly string[],
	github: GitHub,
	url: URL,
) => Promise<SitePage | undefined>;

/** By the word after the repository. */
const views: Readonly<Record<string, View>> = {
	blob: async (repo, [ref, ...path], github) => {
		if (ref === undefined || path.length === 0) return undefined;
		const name = path.join("/");
		const text = await github.text(`/repos/${repo}/contents/${name}?ref=${encoded(ref)}`, asRaw);
		return {
			title: `${repo}/${decoded(name)}@${decoded(ref)}`,
			text: /\.(?:md|markdown)$/i.test(name) ? text : codeBlock(text, name),
		};
	},
	tree: async (repo, [ref, ...path], github) => {
		const name = path.join("/");
		const json = await github.json(
			`/repos/${repo}/contents/${name}${ref === undefined ? "" : `?ref=${encoded(ref)}`}`,
		);
		const where = name === "" ? repo : `${repo}/${decoded(name)}`;
		return Array.isArray(json)
			? { title: `${where}@${decoded(ref ?? "HEAD")}`, text: directory(json) }
			: undefined;
	},
	issues: async (repo, [number], github, url) =>
		number === undefined
			? await issueList(repo, issueSearch(repo, "issues", url), github, url)
			: await issue(repo, number, github, url),
	pulls: async (repo, [rest], github, url) =>
		rest === undefined ? await issueList(repo, issueSearch(repo, "pulls", url), github, url) : undefined,
	labels: async (repo, [label], github, url) =>
		label === undefined
			? undefined
			: await issueList(repo, issueSearch(repo, "issues", url, label), github, url),
	pull: async (repo, [number = "", tab, sha], github, url) => {
		const [, id, form] = /^(\d+)(?:\.(diff|patch))?$/.exec(number) ?? [];
		if (id === undefined) return undefined;
		if (form !== undefined || tab === "files" || tab === "changes") return await pullDiff(repo, id, github);
		if (tab === "commits" && sha !== undefined) return await commitPage(repo, [sha], github);
		if (tab === "commits") return await pullCommits(repo, id, github);
		if (tab === "checks") return await pullChecks(repo, id, github);
		return tab === undefined ? await pull(repo, id, github, url) : undefined;
	},
	commit: commitPage,
	compare: async (repo, [range = ""], github) => {
		const diff = await github.text(
			`/repos/${repo}/compare/${range.replace(/\.(?:diff|patch)$/, "")}`,
			asDiff,
		);
		return { title: `${repo}: ${decoded(range)}`, text: fenced(diff, "diff") };
	},
	releases: async (repo, [word, tag], github) => {
		if (word === "tag" && tag !== undefined)
			return release(await github.json(`/repos/${repo}/releases/tags/${tag}`), repo);
		if (word === "latest") return release(await github.json(`/repos/${repo}/releases/latest`), repo);
		const all = await github.json(`/repos/${repo}/releases?per_page=20`);
		const list = Array.isArray(all) ? all.map((each) => releaseText(each)) : [];
		return { title: `Releases of ${repo}`, text: list.join("\n\n") };
	},
	actions: async (repo, [word, id], github) => {
		if (word !== "runs" || id === undefined) return undefined;
		const run = await github.json(`/repos/${repo}/actions/runs/${id}`);
		const jobs = listAt(await github.json(`/repos/${repo}/actions/runs/${id}/jobs?per_page=100`), "jobs");
		return {
			title: `${textAt(run, "name")}: ${textAt(run, "display_title")} (${repo})`,
			text: runText(run, jobs),
		};
	},
};

export const githubSite: SiteReader = {
	name: "GitHub",
	hosts: ["github.com", "www.github.com"],
	async read({ url, parts }: SiteRequest, io) {
		const [owner, name, view, ...rest] = parts;
		if (owner === undefined || name === undefined || reserved.has(owner)) return undefined;
		// The token must not reach anything of the API but this repository.
		if (!parts.every(isPlainPart)) return undefined;
		const repo = `${owner}/${name.replace(/\.git$/, "")}`;
		if (view === undefined) return repository(repo, new GitHub(io));
		return Object.hasOwn(views, view) ? views[view]?.(repo, rest, new GitHub(io), url) : undefined;
	},
};

/** First parts of paths that are no owners. */
const reserved: ReadonlySet<string> = new Set(
	"about apps blog codespaces collections contact customer-stories enterprise events explore features login marketplace notifications orgs pricing search security settings sponsors stars team topics trending users".split(
		" ",
	),
);

async function repository(repo: string, github: GitHub): Promise<SitePage> {
	const json = await github.json(`/repos/${repo}`);
	const [readme, root] = await Promise.all([
		optional(github.text(`/repos/${repo}/readme`, asRaw), ""),
		optional(github.json(`/repos/${repo}/contents/`), []),
	]);
	return {
		title: textAt(json, "full_name"),
		text: paragraphs(
			textAt(json, "description"),
			facts(
				["Default branch", textAt(json, "default_branch")],
				["Language", textAt(json, "language")],
				["License", textAt(json, "license.spdx_id")],
				["Stars", numberAt(json, "stargazers_count")],
				["Open issues and pull requests", numberAt(json, "open_issues_count")],
				["Last push", day(textAt(json, "pushed_at"))],
				["Home page", textAt(json, "homepage")],
				["Topics", listAt(json, "topics").join(", ")],
				["Archived", at(json, "archived") === true ? "yes" : ""],
				["Fork of", textAt(json, "parent.full_name")],
			),
			section("Files", directory(Array.isArray(root) ? root : [])),
			section("README", readme),
		),
	};
}

function directory(entries: readonly unknown[]): string {
	return entries
		.map((entry) => {
			const name = textAt(entry, "name");
			const size = numberAt(entry, "size") ?? 0;
			return textAt(entry, "type") === "dir" ? `- ${name}/` : `- ${name} (${size} bytes)`;
		})
		.toSorted((a, b) => Number(b.endsWith("/")) - Number(a.endsWith("/")))
		.join("\n");
}

function codeBlock(text: string, name: string): string {
	return fenced(text, /\.([\w+-]+)$/.exec(name)?.[1]);
}

async function issue(repo: string, number: string, github: GitHub, url: URL): Promise<SitePage | undefined> {
	if (!/^\d+$/.test(number)) return undefined;
	const json = await github.json(`/repos/${repo}/issues/${number}`);
	const comments = await commentsOf(json, repo, github, url);
	return {
		title: issueTitle(json, repo),
		text: paragraphs(issueFacts(json), textAt(json, "body"), comments),
	};
}

async function pull(repo: string, number: string, github: GitHub, url: URL): Promise<SitePage> {
	const json = await github.json(`/repos/${repo}/pulls/${number}`);
	const [comments, reviews, remarks, files] = await Promise.all([
		commentsOf(json, repo, github, url),
		optional(github.json(`/repos/${repo}/pulls/${number}/reviews?per_page=100`), []),
		optional(github.json(`/repos/${repo}/pulls/${number}/comments?per_page=100`), []),
		optional(github.json(`/repos/${repo}/pulls/${number}/files?per_page=100`), []),
	]);
	const opinions = listed(reviews)
		.filter((each) => textAt(each, "body") !== "")
		.map((each) => comment(each, ` (${textAt(each, "state").toLowerCase()})`));
	return {
		title: issueTitle(json, repo),
		text: paragraphs(
			facts(
				["Branches", `${textAt(json, "head.label")} into ${textAt(json, "base.ref")}`],
				["Merged", day(textAt(json, "merged_at"))],
				[
					"Changes",
					`${numberAt(json, "changed_files") ?? 0} files, +${numberAt(json, "additions") ?? 0} -${numberAt(json, "deletions") ?? 0}`,
				],
			),
			issueFacts(json),
			textAt(json, "body"),
			section(
				"Files",
				listed(files)
					.map(
						(file) =>
							`- ${textAt(file, "filename")} (+${numberAt(file, "additions") ?? 0} -${numberAt(file, "deletions") ?? 0})`,
					)
					.join("\n"),
			),
			section("Reviews", opinions.join("\n\n")),
			section(
				"Remarks on lines",
				listed(remarks)
					.map((each) =>
						comment(each, ` on ${textAt(each, "path")}:${firstText(each, "line", "original_line")}`),
					)
					.join("\n\n"),
			),
			comments,
			`The diff: https://github.com/${repo}/pull/${number}.diff`,
		),
	};
}

async function commitPage(repo: string, [sha = ""]: readonly string[], github: GitHub): Promise<SitePage> {
	const id = sha.replace(/\.(?:diff|patch)$/, "");
	const json = await github.json(`/repos/${repo}/commits/${id}`);
	const diff = await github.text(`/repos/${repo}/commits/${id}`, asDiff);
	const [title = "", ...body] = textAt(json, "commit.message").split("\n");
	return {
		title: `${title} (${repo}@${textAt(json, "sha").slice(0, 12)})`,
		text: paragraphs(
			facts(
				["Author", textAt(json, "commit.author.name")],
				["Date", day(textAt(json, "commit.author.date"))],
				["Changes", `+${numberAt(json, "stats.additions") ?? 0} -${numberAt(json, "stats.deletions") ?? 0}`],
			),
			body.join("\n"),
			fenced(diff, "diff"),
		),
	};
}

async function pullCommits(repo: string, number: string, github: GitHub): Promise<SitePage> {
	const json = listed(await github.json(`/repos/${repo}/pulls/${number}/commits?per_page=100`));
	if (textAt(json[0], "sha") === "") throw new SiteFailure("no commits");
	const rows = json.map((each) => {
		const [subject = ""] = textAt(each, "commit.message").split("\n");
		return `- ${textAt(each, "sha").slice(0, 12)} ${subject} (${textAt(each, "commit.author.name")}, ${day(textAt(each, "commit.author.date"))})`;
	});
	const note = json.length >= 100 ? "[The first 100 commits are shown; the API has at most 250.]" : "";
	return { title: `Commits of ${repo}#${number}`, text: paragraphs(rows.join("\n"), note) };
}

async function pullChecks(repo: string, number: string, github: GitHub): Promise<SitePage> {
	const head = textAt(await github.json(`/repos/${repo}/pulls/${number}`), "head.sha");
	const json = await github.json(`/repos/${repo}/commits/${encoded(head)}/check-runs?per_page=100`);
	const runs = listAt(json, "check_runs");
	const rows = runs.map((each) => {
		const summary = textAt(each, "output.title");
		return `- ${textAt(each, "name")}: ${firstText(each, "conclusion", "status")}${summary === "" ? "" : ` (${summary})`}\n  ${textAt(each, "details_url")}`;
	});
	const total = numberAt(json, "total_count") ?? runs.length;
	const note = total > runs.length ? `[${runs.length} of ${total} checks shown.]` : "";
	return {
		title: `Checks of ${repo}#${number}`,
		text: paragraphs(facts(["Commit", head]), rows.join("\n") || "None.", note),
	};
}

async function pullDiff(repo: string, number: string, github: GitHub): Promise<SitePage> {
	const diff = await github.text(`/repos/${repo}/pulls/${number}`, asDiff);
	return { title: `Diff of ${repo}#${number}`, text: fenced(diff, "diff") };
}

async function issueList(
	repo: string,
	{ path, words, page }: IssueSearch,
	github: GitHub,
	url: URL,
): Promise<SitePage> {
	const json = await github.json(path);
	const items = listAt(json, "items");
	const total = numberAt(json, "total_count");
	if (total === undefined) throw new SiteFailure("no list");
	const rows = items.map(
		(each) =>
			`- #${textAt(each, "number")} ${textAt(each, "title")} (${textAt(each, "state")}, ${textAt(each, "user.login")}, ${day(textAt(each, "updated_at"))}${labels(each)})`,
	);
	const part = { shown: items.length, total, what: "results", page, size: limits.siteIssues };
	return {
		title: `${repo}: ${words}`,
		text: paragraphs(rows.join("\n") || "None.", partShown(part, url)),
	};
}

/** One page of the comments; a missing one is no reason to show nothing. */
async function commentsOf(json: unknown, repo: string, github: GitHub, url: URL): Promise<string> {
	const [page, size, total] = [pageOf(url), limits.siteComments, numberAt(json, "comments") ?? 0];
	const path = `/repos/${repo}/issues/${textAt(json, "number")}/comments?per_page=${size}`;
	const answer = listed(await optional(github.json(page > 1 ? `${path}&page=${page}` : path), []));
	const bare = new URL(url.pathname, url);
	return paragraphs(
		section("Comments", answer.map((each) => comment(each)).join("\n\n")),
		partShown({ shown: answer.length, total, what: "comments", page, size }, bare),
	);
}

function comment(json: unknown, about = ""): string {
	const when = day(firstText(json, "created_at", "submitted_at"));
	return `### ${textAt(json, "user.login")}${about}, ${when}\n\n${textAt(json, "body")}`;
}

function issueTitle(json: unknown, repo: string): string {
	return `${textAt(json, "title")} (${repo}#${textAt(json, "number")})`;
}

function issueFacts(json: unknown): string {
	const reason = textAt(json, "state_reason");
	return facts(
		[
			"State",
			`${textAt(json, "state")}${reason === "" ? "" : ` (${reason})`}${at(json, "draft") === true ? ", draft" : ""}`,
		],
		["Author", textAt(json, "user.login")],
		["Opened", day(textAt(json, "created_at"))],
		["Closed", day(textAt(json, "closed_at"))],
		["Labels", labels(json).replace(/^, /, "")],
		["Milestone", textAt(json, "milestone.title")],
	);
}

function labels(json: unknown): string {
	const names = listAt(json, "labels").map((each) => textAt(each, "name"));
	return names.length === 0 ? "" : `, ${names.join(", ")}`;
}

function release(json: unknown, repo: string): SitePage {
	return { title: `${firstText(json, "name", "tag_name")} (${repo})`, text: releaseText(json) };
}

function releaseText(json: unknown): string {
	const assets = listAt(json, "assets").map(
		(each) => `- ${textAt(each, "name")}: ${textAt(each, "browser_download_url")}`,
	);
	return paragraphs(
		`## ${firstText(json, "name", "tag_name")} (${textAt(json, "tag_name")}, ${day(textAt(json, "published_at"))})`,
		textAt(json, "body"),
		assets.join("\n"),
	);
}

function runText(run: unknown, jobs: readonly unknown[]): string {
	const rows = jobs.flatMap((job) => [
		`- ${textAt(job, "name")}: ${firstText(job, "conclusion", "status")}`,
		...listAt(job, "steps")
			.filter((step) => !["success", "skipped"].includes(textAt(step, "conclusion")))
			.map((step) => `  - ${textAt(step, "name")}: ${firstText(step, "conclusion", "status")}`),
	]);
	return paragraphs(
		facts(
			["State", firstText(run, "conclusion", "status")],
			["Branch", textAt(run, "head_branch")],
			["Commit", textAt(run, "head_sha")],
			["Event", textAt(run, "event")],
			["Started", textAt(run, "run_started_at")],
		),
		section("Jobs", rows.join("\n")),
	);
}

export const gistSite: SiteReader = {
	name: "GitHub gists",
	hosts: ["gist.github.com"],
	async read({ parts }, io) {
		const id = parts.find((part) => /^[0-9a-f]{20,40}$/.test(part));
		if (id === undefined) return undefined;
		const json = await new GitHub(io).json(`/gists/${id}`);
		const files = Object.values(Object(at(json, "files"))).map((file) =>
			section(
				textAt(file, "filename"),
				codeBlock(String(at(file, "content") ?? ""), textAt(file, "filename")),
			),
		);
		const title = textAt(json, "description") || `Gist of ${textAt(json, "owner.login")}`;
		return {
			title,
			text: paragraphs(
				facts(["Author", textAt(json, "owner.login")], ["Updated", day(textAt(json, "updated_at"))]),
				...files,
			),
		};
	},
};
