/** Recorded pages of GitHub and GitLab. */
import type { RecordedSite } from "./recorded-site.ts";

const api = "https://api.github.com";
const gl = "https://gitlab.com/api/v4/projects/group%2Fsub%2Fapp";
const user = { login: "ada" };

/** The address of a search for issues of the repository. */
function search(words: string, sort = "created", order = "desc", page = ""): string {
	const query = new URLSearchParams({ q: `repo:oven-sh/bun ${words}`, sort, order, per_page: "50" });
	return `${api}/search/issues?${query.toString()}${page}`;
}

export const codeHosts: readonly RecordedSite[] = [
	{
		reader: "GitHub",
		url: "https://github.com/oven-sh/bun",
		answers: {
			[`${api}/repos/oven-sh/bun`]: {
				full_name: "oven-sh/bun",
				description: "A runtime",
				default_branch: "main",
				language: "Zig",
				license: { spdx_id: "MIT" },
				stargazers_count: 7,
				open_issues_count: 3,
				pushed_at: "2026-01-02T03:04:05Z",
				topics: ["js", "zig"],
				archived: true,
			},
			[`${api}/repos/oven-sh/bun/readme`]: "# Bun\n\nFast.",
			[`${api}/repos/oven-sh/bun/contents/`]: [
				{ name: "a.ts", type: "file", size: 12 },
				{ name: "src", type: "dir", size: 0 },
			],
		},
		title: "oven-sh/bun",
		includes: [
			"A runtime",
			"- Language: Zig",
			"- License: MIT",
			"- Last push: 2026-01-02",
			"- Archived: yes",
			"- src/\n- a.ts (12 bytes)",
			"## README\n\n# Bun\n\nFast.",
		],
	},
	{
		reader: "GitHub",
		url: "https://github.com/oven-sh/bun/blob/main/src/a%20b.ts",
		answers: { [`${api}/repos/oven-sh/bun/contents/src/a%20b.ts?ref=main`]: "const a = 1;\n```\n" },
		title: "oven-sh/bun/src/a b.ts@main",
		includes: ["````ts\nconst a = 1;\n```\n````"],
	},
	{
		reader: "GitHub",
		url: "https://github.com/oven-sh/bun/tree/main/src",
		answers: {
			[`${api}/repos/oven-sh/bun/contents/src?ref=main`]: [{ name: "x.zig", type: "file", size: 1 }],
		},
		title: "oven-sh/bun/src@main",
		includes: ["- x.zig (1 bytes)"],
	},
	{
		reader: "GitHub",
		url: "https://github.com/oven-sh/bun/issues/12",
		answers: {
			[`${api}/repos/oven-sh/bun/issues/12`]: {
				number: 12,
				title: "It crashes",
				state: "closed",
				state_reason: "completed",
				user,
				created_at: "2026-01-01T00:00:00Z",
				closed_at: "2026-01-03T00:00:00Z",
				labels: [{ name: "bug" }],
				body: "Steps",
			},
			[`${api}/repos/oven-sh/bun/issues/12/comments?per_page=100`]: [
				{ user, created_at: "2026-01-02T00:00:00Z", body: "Fixed in 2" },
			],
		},
		title: "It crashes (oven-sh/bun#12)",
		includes: ["- State: closed (completed)", "- Labels: bug", "Steps", "### ada, 2026-01-02\n\nFixed in 2"],
	},
	{
		reader: "GitHub",
		url: "https://github.com/oven-sh/bun/issues",
		answers: {
			[search("is:issue is:open")]: {
				total_count: 120,
				items: [
					{ number: 1, title: "One", state: "open", user, updated_at: "2026-01-01T00:00:00Z" },
					{ number: 2, title: "Two", state: "open", user, updated_at: "2026-01-01T00:00:00Z" },
				],
			},
		},
		title: "oven-sh/bun: is:issue is:open",
		includes: [
			"- #1 One (open, ada, 2026-01-01)",
			"[2 of 120 results shown. The next: https://github.com/oven-sh/bun/issues?page=2]",
		],
	},
	{
		reader: "GitHub",
		url: "https://github.com/oven-sh/bun/issues?q=is%3Aclosed+label%3Abug+repo%3Aother%2Fsecret+sort%3Aupdated-asc&page=2",
		answers: {
			[search("is:issue is:closed label:bug", "updated", "asc", "&page=2")]: {
				total_count: 51,
				items: [{ number: 9, title: "Nine", state: "closed", user, updated_at: "2026-01-01T00:00:00Z" }],
			},
		},
		title: "oven-sh/bun: is:issue is:closed label:bug",
		includes: ["- #9 Nine (closed", "[51 to 51 of 51 results shown.]"],
	},
	{
		reader: "GitHub",
		url: "https://github.com/oven-sh/bun/issues?state=closed&labels=bug,good%20first%20issue",
		answers: {
			[search('is:issue is:closed label:"bug" label:"good first issue"')]: { total_count: 0, items: [] },
		},
		title: 'oven-sh/bun: is:issue is:closed label:"bug" label:"good first issue"',
		includes: ["None."],
	},
	{
		reader: "GitHub",
		url: "https://github.com/oven-sh/bun/pulls",
		answers: { [search("is:pr is:open")]: { total_count: 0, items: [] } },
		title: "oven-sh/bun: is:pr is:open",
		includes: ["None."],
	},
	{
		reader: "GitHub",
		url: "https://github.com/oven-sh/bun/issues/14?page=2",
		answers: {
			[`${api}/repos/oven-sh/bun/issues/14`]: { number: 14, title: "Long", comments: 250 },
			[`${api}/repos/oven-sh/bun/issues/14/comments?per_page=100&page=2`]: Array.from(
				{ length: 100 },
				() => ({
					user,
					created_at: "2026-01-02T00:00:00Z",
					body: "More",
				}),
			),
		},
		title: "Long (oven-sh/bun#14)",
		includes: [
			"[101 to 200 of 250 comments shown. The next: https://github.com/oven-sh/bun/issues/14?page=3]",
		],
	},
	{
		reader: "GitHub",
		url: "https://github.com/oven-sh/bun/pull/13/commits",
		answers: {
			[`${api}/repos/oven-sh/bun/pulls/13/commits?per_page=100`]: [
				{
					sha: "0123456789abcdef",
					commit: { message: "Do it\n\nWhy", author: { name: "Ada", date: "2026-01-02" } },
				},
			],
		},
		title: "Commits of oven-sh/bun#13",
		includes: ["- 0123456789ab Do it (Ada, 2026-01-02)"],
	},
	{
		reader: "GitHub",
		url: "https://github.com/oven-sh/bun/pull/13/checks",
		answers: {
			[`${api}/repos/oven-sh/bun/pulls/13`]: { head: { sha: "abc" } },
			[`${api}/repos/oven-sh/bun/commits/abc/check-runs?per_page=100`]: {
				total_count: 1,
				check_runs: [
					{
						name: "test",
						conclusion: "failure",
						output: { title: "2 failed" },
						details_url: "https://ci.example/1",
					},
				],
			},
		},
		title: "Checks of oven-sh/bun#13",
		includes: ["- test: failure (2 failed)\n  https://ci.example/1"],
	},
	{
		reader: "GitHub",
		url: "https://github.com/oven-sh/bun/pull/13",
		answers: {
			[`${api}/repos/oven-sh/bun/pulls/13`]: {
				number: 13,
				title: "Fix it",
				state: "open",
				draft: true,
				user,
				head: { label: "ada:fix" },
				base: { ref: "main" },
				changed_files: 1,
				additions: 2,
				deletions: 3,
				body: "Why",
			},
			[`${api}/repos/oven-sh/bun/issues/13/comments?per_page=100`]: [],
			[`${api}/repos/oven-sh/bun/pulls/13/reviews?per_page=100`]: [
				{ user, state: "APPROVED", body: "Good", submitted_at: "2026-01-02T00:00:00Z" },
			],
			[`${api}/repos/oven-sh/bun/pulls/13/comments?per_page=100`]: [
				{ user, path: "a.ts", line: 4, body: "Why?", created_at: "2026-01-02T00:00:00Z" },
			],
			[`${api}/repos/oven-sh/bun/pulls/13/files?per_page=100`]: [
				{ filename: "a.ts", additions: 2, deletions: 3 },
			],
		},
		title: "Fix it (oven-sh/bun#13)",
		includes: [
			"- Branches: ada:fix into main",
			"- State: open, draft",
			"- a.ts (+2 -3)",
			"### ada (approved), 2026-01-02\n\nGood",
			"### ada on a.ts:4, 2026-01-02\n\nWhy?",
			"pull/13.diff",
		],
	},
	{
		reader: "GitHub",
		url: "https://github.com/oven-sh/bun/pull/13.diff",
		answers: { [`${api}/repos/oven-sh/bun/pulls/13`]: "diff --git a/a b/a\n" },
		title: "Diff of oven-sh/bun#13",
		includes: ["```diff\ndiff --git a/a b/a\n```"],
	},
	{
		reader: "GitHub",
		url: "https://github.com/oven-sh/bun/compare/v1...v2",
		answers: { [`${api}/repos/oven-sh/bun/compare/v1...v2`]: "diff --git a/b b/b\n" },
		title: "oven-sh/bun: v1...v2",
		includes: ["diff --git a/b b/b"],
	},
	{
		reader: "GitHub",
		url: "https://github.com/oven-sh/bun/releases/tag/v2",
		answers: {
			[`${api}/repos/oven-sh/bun/releases/tags/v2`]: {
				name: "Two",
				tag_name: "v2",
				published_at: "2026-01-02T00:00:00Z",
				body: "News",
				assets: [{ name: "bun.zip", browser_download_url: "https://github.com/x.zip" }],
			},
		},
		title: "Two (oven-sh/bun)",
		includes: ["## Two (v2, 2026-01-02)", "News", "- bun.zip: https://github.com/x.zip"],
	},
	{
		reader: "GitHub",
		url: "https://github.com/oven-sh/bun/actions/runs/99",
		answers: {
			[`${api}/repos/oven-sh/bun/actions/runs/99`]: {
				name: "CI",
				display_title: "Fix",
				conclusion: "failure",
				head_branch: "main",
				head_sha: "abc",
				event: "push",
			},
			[`${api}/repos/oven-sh/bun/actions/runs/99/jobs?per_page=100`]: {
				jobs: [
					{
						name: "test",
						conclusion: "failure",
						steps: [
							{ name: "Checkout", conclusion: "success" },
							{ name: "Run", conclusion: "failure" },
						],
					},
				],
			},
		},
		title: "CI: Fix (oven-sh/bun)",
		includes: ["- State: failure", "- test: failure\n  - Run: failure"],
	},
	{
		reader: "GitHub gists",
		url: "https://gist.github.com/ada/0123456789abcdef0123",
		answers: {
			[`${api}/gists/0123456789abcdef0123`]: {
				description: "A note",
				owner: user,
				updated_at: "2026-01-02T00:00:00Z",
				files: { "a.py": { filename: "a.py", content: "print(1)\n" } },
			},
		},
		title: "A note",
		includes: ["- Author: ada", "## a.py\n\n```py\nprint(1)\n```"],
	},
	{
		reader: "GitLab",
		url: "https://gitlab.com/group/sub/app",
		answers: {
			[`${gl}?license=true`]: {
				path_with_namespace: "group/sub/app",
				description: "An app",
				default_branch: "main",
				star_count: 4,
				license: { name: "MIT" },
				last_activity_at: "2026-01-02T00:00:00Z",
				readme_url: "https://gitlab.com/group/sub/app/-/blob/main/README.md",
			},
			[`${gl}/repository/files/README.md/raw?ref=main`]: "# App",
		},
		title: "group/sub/app",
		includes: ["An app", "- License: MIT", "# App"],
	},
	{
		reader: "GitLab",
		url: "https://gitlab.com/group/sub/app/-/blob/main/src/a.rb",
		answers: { [`${gl}/repository/files/src%2Fa.rb/raw?ref=main`]: "puts 1" },
		title: "group/sub/app/src/a.rb@main",
		includes: ["puts 1"],
	},
	{
		reader: "GitLab",
		url: "https://gitlab.com/group/sub/app/-/tree/main/src",
		answers: {
			[`${gl}/repository/tree?ref=main&path=src&per_page=100`]: [
				{ name: "lib", type: "tree" },
				{ name: "a.rb", type: "blob" },
			],
		},
		title: "group/sub/app/src@main",
		includes: ["- lib/\n- a.rb"],
	},
	{
		reader: "GitLab",
		url: "https://gitlab.com/group/sub/app/-/issues/5",
		answers: {
			[`${gl}/issues/5`]: {
				title: "Broken",
				state: "opened",
				author: { username: "ada" },
				created_at: "2026-01-02T00:00:00Z",
				labels: ["bug"],
				description: "How",
			},
			[`${gl}/issues/5/notes?sort=asc&per_page=100`]: [
				{ author: { username: "bob" }, created_at: "2026-01-03T00:00:00Z", body: "Yes" },
				{ system: true, body: "changed the label" },
			],
		},
		title: "Broken (group/sub/app#5)",
		includes: ["- Labels: bug", "How", "### bob, 2026-01-03\n\nYes"],
	},
	{
		reader: "GitLab",
		url: "https://gitlab.com/group/sub/app/-/issues/7",
		answers: {
			[`${gl}/issues/7`]: { title: "Long", user_notes_count: 130 },
			[`${gl}/issues/7/notes?sort=asc&per_page=100`]: Array.from({ length: 100 }, () => ({ body: "Yes" })),
		},
		title: "Long (group/sub/app#7)",
		includes: ["[100 of 130 comments shown. The next: https://gitlab.com/group/sub/app/-/issues/7?page=2]"],
	},
	{
		reader: "GitLab",
		url: "https://gitlab.com/group/sub/app/-/merge_requests/6/diffs",
		answers: {
			[`${gl}/merge_requests/6`]: { title: "Fix" },
			[`${gl}/merge_requests/6/diffs?per_page=100`]: [
				{ old_path: "a", new_path: "b", diff: "@@ -1 +1 @@\n-x\n+y\n" },
			],
		},
		title: "Fix (group/sub/app!6)",
		includes: ["--- a\n+++ b\n@@ -1 +1 @@"],
	},
];
