/** GitLab: projects, files, directories, issues, merge requests and their diffs. */
import { at, listAt, numberAt, textAt } from "../../json/read.ts";
import { limits } from "../limits.ts";
import {
	day,
	decoded,
	encoded,
	facts,
	isPlainPart,
	listed,
	pageOf,
	paragraphs,
	partShown,
	section,
	SiteFailure,
	type SiteIo,
	type SitePage,
	type SiteReader,
} from "./site.ts";

class GitLab {
	readonly #io: SiteIo;
	readonly #base: string;

	constructor(io: SiteIo, project: string) {
		this.#io = io;
		this.#base = `https://gitlab.com/api/v4/projects/${encodeURIComponent(project)}`;
	}

	json(path: string): Promise<unknown> {
		return this.#io.json(this.#base + path, { ownHeaders: this.#headers() });
	}

	text(path: string): Promise<string> {
		return this.#io.text(this.#base + path, { ownHeaders: this.#headers() });
	}

	#headers(): Record<string, string> {
		const token = this.#io.variable("GITLAB_TOKEN");
		return token === undefined ? {} : { "PRIVATE-TOKEN": token };
	}
}

export const gitlab: SiteReader = {
	name: "GitLab",
	hosts: ["gitlab.com"],
	async read({ url, parts }, io) {
		const dash = parts.indexOf("-");
		const project = parts
			.slice(0, dash < 0 ? undefined : dash)
			.map(decoded)
			.join("/");
		if (project.split("/").length < 2 || !parts.every(isPlainPart)) return undefined;
		const gl = new GitLab(io, project);
		const [view, ...rest] = dash < 0 ? [] : parts.slice(dash + 1);
		if (view === undefined) return projectPage(gl);
		if (view === "blob" || view === "raw") return file(project, rest, gl);
		if (view === "tree") return tree(project, rest, gl);
		if (view === "issues" || view === "work_items")
			return discussion({ project, kind: "issues", url }, rest, gl);
		return view === "merge_requests"
			? discussion({ project, kind: "merge_requests", url }, rest, gl)
			: undefined;
	},
};

async function projectPage(gl: GitLab): Promise<SitePage> {
	const json = await gl.json("?license=true");
	const branch = textAt(json, "default_branch");
	const readme = /\/-\/blob\/[^/]+\/(.+)$/.exec(textAt(json, "readme_url"))?.[1];
	const text =
		readme === undefined
			? ""
			: await gl.text(
					`/repository/files/${encodeURIComponent(readme)}/raw?ref=${encodeURIComponent(branch)}`,
				);
	return {
		title: textAt(json, "path_with_namespace"),
		text: paragraphs(
			textAt(json, "description"),
			facts(
				["Default branch", branch],
				["Stars", numberAt(json, "star_count")],
				["License", textAt(json, "license.name")],
				["Last activity", day(textAt(json, "last_activity_at"))],
				["Topics", listAt(json, "topics").join(", ")],
			),
			section("README", text),
		),
	};
}

async function file(project: string, [ref = "", ...path]: readonly string[], gl: GitLab): Promise<SitePage> {
	const name = path.map(decoded).join("/");
	const text = await gl.text(`/repository/files/${encodeURIComponent(name)}/raw?ref=${encoded(ref)}`);
	return { title: `${project}/${name}@${decoded(ref)}`, text };
}

async function tree(project: string, [ref = "", ...path]: readonly string[], gl: GitLab): Promise<SitePage> {
	const name = path.map(decoded).join("/");
	const json = await gl.json(
		`/repository/tree?ref=${encoded(ref)}&path=${encodeURIComponent(name)}&per_page=100`,
	);
	if (!Array.isArray(json)) throw new SiteFailure("no directory");
	const rows = json.map((each) => `- ${textAt(each, "name")}${textAt(each, "type") === "tree" ? "/" : ""}`);
	return { title: `${project}/${name}@${decoded(ref)}`, text: rows.join("\n") };
}

/** Events of the system are in the list, too, and are not counted. */
function isFull(notes: unknown, size: number): boolean {
	return Array.isArray(notes) && notes.length >= size;
}

async function discussion(
	{ project, kind, url }: { project: string; kind: "issues" | "merge_requests"; url: URL },
	[number = "", tab]: readonly string[],
	gl: GitLab,
): Promise<SitePage | undefined> {
	const [, id, form] = /^(\d+)(\.diff|\.patch)?$/.exec(number) ?? [];
	if (id === undefined) return undefined;
	const json = await gl.json(`/${kind}/${id}`);
	const mark = kind === "issues" ? "#" : "!";
	const title = `${textAt(json, "title")} (${project}${mark}${id})`;
	if (kind === "merge_requests" && (form !== undefined || tab === "diffs")) {
		const changes = listed(await gl.json(`/${kind}/${id}/diffs?per_page=100`));
		const diffs = changes.map(
			(each) =>
				`--- ${textAt(each, "old_path")}\n+++ ${textAt(each, "new_path")}\n${String(at(each, "diff") ?? "")}`,
		);
		return { title, text: `\`\`\`diff\n${diffs.join("\n")}\n\`\`\`` };
	}
	const page = pageOf(url);
	const size = limits.siteComments;
	const notes = await gl.json(
		`/${kind}/${id}/notes?sort=asc&per_page=${size}${page > 1 ? `&page=${page}` : ""}`,
	);
	const comments = (Array.isArray(notes) ? notes : [])
		.filter((each) => at(each, "system") !== true)
		.map(
			(each) =>
				`### ${textAt(each, "author.username")}, ${day(textAt(each, "created_at"))}\n\n${textAt(each, "body")}`,
		);
	const source = textAt(json, "source_branch");
	return {
		title,
		text: paragraphs(
			facts(
				["State", textAt(json, "state")],
				["Author", textAt(json, "author.username")],
				["Opened", day(textAt(json, "created_at"))],
				["Labels", listAt(json, "labels").join(", ")],
				["Branches", source === "" ? "" : `${source} into ${textAt(json, "target_branch")}`],
			),
			textAt(json, "description"),
			section("Comments", comments.join("\n\n")),
			isFull(notes, size) || page > 1
				? partShown(
						{
							shown: comments.length,
							total: numberAt(json, "user_notes_count") ?? 0,
							what: "comments",
							page,
							size,
						},
						url,
					)
				: "",
		),
	};
}
