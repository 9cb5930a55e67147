/** Questions and discussions: Stack Exchange, Hacker News, Lobsters, Reddit, forums and social networks. */
import { at, firstText, listAt, numberAt, textAt } from "../../json/read.ts";
import { limits } from "../limits.ts";
import { apiSite } from "./api-site.ts";
import {
	day,
	encoded,
	facts,
	listed,
	optional,
	pageOf,
	paragraphs,
	partShown,
	quoted,
	section,
	type SiteIo,
	type SitePage,
	type SiteReader,
} from "./site.ts";

/** The sites that have a host of their own; the others are below stackexchange.com. */
const stackSites = [
	"stackoverflow.com",
	"serverfault.com",
	"superuser.com",
	"askubuntu.com",
	"mathoverflow.net",
	"stackapps.com",
];

const stackExchange: SiteReader = {
	name: "Stack Exchange",
	// Below a host are its sites in other languages, and those about itself.
	hosts: [...stackSites, ...stackSites.map((host) => `.${host}`), ".stackexchange.com"],
	async read({ url, parts: [kind, id = ""] }, io) {
		if ((kind !== "questions" && kind !== "q") || !/^\d+$/.test(id)) return undefined;
		// The API knows a site by its host as well as by a short name, which sites about themselves have in another order.
		const site = url.hostname.replace(/^www\./, "");
		const api = `https://api.stackexchange.com/2.3/questions/${id}`;
		const query = `site=${site}&filter=withbody`;
		const page = pageOf(url);
		const size = limits.siteAnswers;
		const [questions, answers] = await Promise.all([
			io.json(`${api}?${query}`),
			io.json(
				`${api}/answers?order=desc&sort=votes&pagesize=${size}${page > 1 ? `&page=${page}` : ""}&${query}`,
			),
		]);
		const question = at(questions, "items.0");
		if (question === undefined) return undefined;
		const replies = await Promise.all(
			listAt(answers, "items").map(async (each) => {
				const mark = at(each, "is_accepted") === true ? ", accepted" : "";
				return `### Answer of ${textAt(each, "owner.display_name")} (score ${textAt(each, "score")}${mark})\n\n${await io.markdown(textAt(each, "body"))}`;
			}),
		);
		return {
			title: await io.markdown(textAt(question, "title")),
			text: paragraphs(
				facts(
					["Score", textAt(question, "score")],
					[
						"Asked",
						`${day(numberAt(question, "creation_date"))} by ${textAt(question, "owner.display_name")}`,
					],
					["Tags", listAt(question, "tags").join(", ")],
				),
				await io.markdown(textAt(question, "body")),
				section("Answers", replies.join("\n\n")),
				partShown(
					{
						shown: replies.length,
						total: numberAt(question, "answer_count") ?? 0,
						what: "answers",
						page,
						size,
					},
					url,
				),
			),
		};
	},
};

const hackerNews: SiteReader = {
	name: "Hacker News",
	hosts: ["news.ycombinator.com"],
	async read({ url }, io) {
		if (url.pathname === "/" || url.pathname === "/news") {
			// Later pages are read as pages.
			if (url.searchParams.has("p")) return undefined;
			const [json, order] = await Promise.all([
				io.json("https://hn.algolia.com/api/v1/search?tags=front_page&hitsPerPage=30"),
				optional(io.json("https://hacker-news.firebaseio.com/v0/topstories.json"), []),
			]);
			// The search has the stories of the front page, but not in its order.
			const ranks = new Map(listed(order).map((id, rank) => [String(id), rank]));
			const rank = (each: unknown): number => ranks.get(textAt(each, "objectID")) ?? ranks.size;
			const hits = listAt(json, "hits").toSorted((a, b) => rank(a) - rank(b));
			const rows = hits.map(
				(each) =>
					`- ${textAt(each, "title")} (${numberAt(each, "points") ?? 0} points, ${numberAt(each, "num_comments") ?? 0} comments)\n  ${firstText(each, "url")}\n  https://news.ycombinator.com/item?id=${textAt(each, "objectID")}`,
			);
			return { title: "Hacker News", text: rows.join("\n") };
		}
		const id = url.searchParams.get("id") ?? "";
		if (url.pathname !== "/item" || !/^\d+$/.test(id)) return undefined;
		const json = await io.json(`https://hn.algolia.com/api/v1/items/${id}`);
		return {
			title: textAt(json, "title") || `Comment of ${textAt(json, "author")}`,
			text: paragraphs(
				facts(
					["Link", textAt(json, "url")],
					["Points", numberAt(json, "points")],
					["Author", textAt(json, "author")],
					["Date", day(textAt(json, "created_at"))],
				),
				await io.markdown(textAt(json, "text")),
				section("Comments", await thread(listAt(json, "children"), hnComment, io)),
			),
		};
	},
};

interface Comment {
	author: string;
	/** Markdown, or HTML with `isHtml`. */
	text: string;
	isHtml?: boolean;
	replies: readonly unknown[];
}

function hnComment(json: unknown): Comment {
	return {
		author: textAt(json, "author"),
		text: textAt(json, "text"),
		isHtml: true,
		replies: listAt(json, "children"),
	};
}

/** Comments in their order, replies as quotes below them; the first ones of a long thread. */
async function thread(
	comments: readonly unknown[],
	read: (json: unknown) => Comment,
	io: SiteIo,
	total = 0,
): Promise<string> {
	const state = { left: limits.siteComments as number, shown: [] as string[], hidden: 0 };
	const add = async (list: readonly unknown[], depth: number): Promise<void> => {
		for (const json of list) {
			const { author, text, isHtml = false, replies } = read(json);
			const isShown = state.left > 0 && depth <= limits.siteDepth;
			if (text !== "" && isShown) {
				state.left--;
				const body = isHtml ? await io.markdown(text) : text;
				state.shown.push(quoted(`**${author || "deleted"}**: ${body}`, depth));
			} else if (text !== "") state.hidden++;
			await add(replies, depth + 1);
		}
	};
	await add(comments, 0);
	const many = limits.siteComments - state.left;
	const all = Math.max(total, many + state.hidden);
	const note =
		all > many && many > 0 ? `[${many} of ${all} comments shown. Replies have addresses of their own.]` : "";
	return paragraphs(...state.shown, note);
}

const lobsters = apiSite("Lobsters", {
	hosts: ["lobste.rs"],
	path: /^\/s\/(\w+)/,
	address: ([id]) => `https://lobste.rs/s/${id}.json`,
	view: async (json, io) => ({
		title: `${textAt(json, "title")} (Lobsters)`,
		text: paragraphs(
			facts(
				["Link", textAt(json, "url")],
				["Score", numberAt(json, "score")],
				[
					"Submitted",
					`${day(textAt(json, "created_at"))} by ${firstText(json, "submitter_user.username", "submitter_user")}`,
				],
				["Tags", listAt(json, "tags").join(", ")],
			),
			await io.markdown(textAt(json, "description")),
			section(
				"Comments",
				(
					await Promise.all(
						listAt(json, "comments")
							.slice(0, limits.siteComments)
							.map(async (each) =>
								quoted(
									`**${firstText(each, "commenting_user.username", "commenting_user")}** (${textAt(each, "score")}): ${await io.markdown(textAt(each, "comment"))}`,
									Math.max(0, (numberAt(each, "depth") ?? 1) - 1),
								),
							),
					)
				).join("\n\n"),
			),
			listAt(json, "comments").length > limits.siteComments
				? `[${limits.siteComments} of ${listAt(json, "comments").length} comments shown.]`
				: "",
		),
	}),
});

const reddit: SiteReader = {
	name: "Reddit",
	hosts: ["reddit.com", ".reddit.com"],
	async read({ url, parts }, io) {
		const [r, name, kind, id, , reply] = parts;
		if (r !== "r" || name === undefined) return undefined;
		// The order of comments, and the period of a list.
		const sorted = ["sort", "t", "after"].flatMap((key) => {
			const value = url.searchParams.get(key) ?? "";
			return /^\w+$/.test(value) ? [`&${key}=${value}`] : [];
		});
		if (kind === "comments" && id !== undefined) {
			const json = listed(
				await io.json(
					`https://www.reddit.com/r/${name}/comments/${id}.json?limit=${limits.siteComments}&raw_json=1${reply === undefined ? "" : `&comment=${encoded(reply)}`}${sorted.join("")}`,
				),
			);
			const post = at(json[0], "data.children.0.data");
			return {
				title: textAt(post, "title"),
				text: paragraphs(
					facts(
						["Community", `r/${name}`],
						["Author", textAt(post, "author")],
						["Score", numberAt(post, "score")],
						["Date", day(numberAt(post, "created_utc"))],
						["Link", at(post, "is_self") === true ? "" : textAt(post, "url")],
					),
					textAt(post, "selftext"),
					section(
						"Comments",
						await thread(
							listAt(json[1], "data.children"),
							redditComment,
							io,
							reply === undefined ? numberAt(post, "num_comments") : 0,
						),
					),
				),
			};
		}
		if (kind !== undefined && !["hot", "new", "top", "rising"].includes(kind)) return undefined;
		const json = await io.json(
			`https://www.reddit.com/r/${name}${kind === undefined ? "" : `/${kind}`}.json?limit=25&raw_json=1${sorted.join("")}`,
		);
		const rows = listAt(json, "data.children").map(
			(each) =>
				`- ${textAt(each, "data.title")} (${textAt(each, "data.score")}, ${textAt(each, "data.num_comments")} comments)\n  https://www.reddit.com${textAt(each, "data.permalink")}`,
		);
		const after = textAt(json, "data.after");
		const next = after === "" ? "" : `[The next: https://www.reddit.com${url.pathname}?after=${after}]`;
		return { title: `r/${name}`, text: paragraphs(rows.join("\n"), next) };
	},
};

function redditComment(json: unknown): Comment {
	return {
		author: `${textAt(json, "data.author")} (${textAt(json, "data.score")})`,
		text: textAt(json, "data.body"),
		replies: listAt(json, "data.replies.data.children"),
	};
}

/** Forums that run Discourse; any other is read as a page. */
const discourseHosts =
	"meta.discourse.org discuss.python.org users.rust-lang.org internals.rust-lang.org discourse.nixos.org discuss.pytorch.org forum.golangbridge.org elixirforum.com discuss.ocaml.org discourse.haskell.org forums.swift.org discuss.kotlinlang.org discourse.julialang.org discuss.huggingface.co community.openai.com forum.cursor.com community.fly.io discuss.elastic.co community.grafana.com discourse.ubuntu.com discussion.fedoraproject.org".split(
		" ",
	);

const discourse = apiSite("Discourse", {
	hosts: discourseHosts,
	path: /^\/t\/(?:[^/]*[^/\d][^/]*\/)?(\d+)(?:\/(\d+))?\/?$/,
	address: ([id, post = ""], url) =>
		`${url.origin}/t/${id}${post === "" ? "" : `/${post}`}.json${pageOf(url) > 1 ? `?page=${pageOf(url)}` : ""}`,
	view: async (json, io, [, post = ""], url) => {
		const posts = await Promise.all(
			listAt(json, "post_stream.posts").map(
				async (each) =>
					`### ${textAt(each, "username")}, ${day(textAt(each, "created_at"))}\n\n${await io.markdown(textAt(each, "cooked"))}`,
			),
		);
		return {
			title: textAt(json, "title"),
			text: paragraphs(
				facts(
					["Posts", numberAt(json, "posts_count")],
					["Views", numberAt(json, "views")],
					[
						"Tags",
						listAt(json, "tags")
							.map((tag) => (typeof tag === "string" ? tag : textAt(tag, "name")))
							.join(", "),
					],
				),
				posts.join("\n\n"),
				post === ""
					? partShown(
							{
								shown: posts.length,
								total: numberAt(json, "posts_count") ?? 0,
								what: "posts",
								page: pageOf(url),
								size: numberAt(json, "chunk_size") ?? posts.length,
							},
							url,
						)
					: "",
			),
		};
	},
});

const devTo = apiSite("DEV", {
	hosts: ["dev.to"],
	path: /^\/([^/]+)\/([^/]+-[0-9a-z]{3,5})\/?$/,
	address: ([user, slug]) => `https://dev.to/api/articles/${user}/${slug}`,
	view: (json) => ({
		title: textAt(json, "title"),
		text: paragraphs(
			facts(
				["Author", textAt(json, "user.name")],
				["Published", day(textAt(json, "published_at"))],
				["Tags", listAt(json, "tags").join(", ")],
				["Reactions", numberAt(json, "public_reactions_count")],
			),
			textAt(json, "body_markdown"),
		),
	}),
});

const mastodonHosts =
	"mastodon.social mastodon.online fosstodon.org hachyderm.io infosec.exchange mstdn.social techhub.social ruby.social phpc.social".split(
		" ",
	);

const mastodon: SiteReader = {
	name: "Mastodon",
	hosts: mastodonHosts,
	async read({ url, parts: [user = "", id = ""] }, io): Promise<SitePage | undefined> {
		if (!user.startsWith("@") || !/^\d+$/.test(id)) return undefined;
		const api = `${url.origin}/api/v1/statuses/${id}`;
		const [json, context] = await Promise.all([io.json(api), io.json(`${api}/context`)]);
		const post = async (each: unknown): Promise<string> =>
			`**${textAt(each, "account.acct")}**, ${day(textAt(each, "created_at"))}: ${await io.markdown(textAt(each, "content"))}`;
		const replies = await Promise.all(listAt(context, "descendants").slice(0, limits.siteComments).map(post));
		return {
			title:
				textAt(json, "account.acct") === ""
					? ""
					: `Post of ${firstText(json, "account.display_name", "account.acct")}`,
			text: paragraphs(
				await post(json),
				facts(["Replies", numberAt(json, "replies_count")], ["Boosts", numberAt(json, "reblogs_count")]),
				section("Replies", replies.join("\n\n")),
			),
		};
	},
};

const bluesky: SiteReader = {
	name: "Bluesky",
	hosts: ["bsky.app"],
	async read({ parts: [kind, who, post, id] }, io) {
		if (kind !== "profile" || who === undefined || post !== "post" || id === undefined) return undefined;
		const uri = encodeURIComponent(`at://${decodeURIComponent(who)}/app.bsky.feed.post/${id}`);
		const json = at(
			await io.json(`https://public.api.bsky.app/xrpc/app.bsky.feed.getPostThread?uri=${uri}&depth=6`),
			"thread",
		);
		return {
			title:
				textAt(json, "post.author.handle") === ""
					? ""
					: `Post of ${firstText(json, "post.author.displayName", "post.author.handle")}`,
			text: paragraphs(
				facts(
					["Author", textAt(json, "post.author.handle")],
					["Date", day(textAt(json, "post.record.createdAt"))],
					["Likes", numberAt(json, "post.likeCount")],
				),
				textAt(json, "post.record.text"),
				section("Replies", await thread(listAt(json, "replies"), blueskyReply, io)),
			),
		};
	},
};

function blueskyReply(json: unknown): Comment {
	return {
		author: textAt(json, "post.author.handle"),
		text: textAt(json, "post.record.text"),
		replies: listAt(json, "replies"),
	};
}

const lemmy: SiteReader = {
	name: "Lemmy",
	hosts: ["lemmy.ml", "lemmy.world", "programming.dev", "lemm.ee", "sh.itjust.works", "beehaw.org"],
	async read({ url, parts: [kind, id = ""] }, io) {
		if (kind !== "post" || !/^\d+$/.test(id)) return undefined;
		const [json, replies] = await Promise.all([
			io.json(`${url.origin}/api/v3/post?id=${id}`),
			io.json(`${url.origin}/api/v3/comment/list?post_id=${id}&sort=Top&limit=50`),
		]);
		const comments = listAt(replies, "comments").map((each) => {
			const depth = textAt(each, "comment.path").split(".").length - 2;
			const text = `**${textAt(each, "creator.name")}** (${textAt(each, "counts.score")}): ${textAt(each, "comment.content")}`;
			return quoted(text, Math.max(0, depth));
		});
		return {
			title: textAt(json, "post_view.post.name"),
			text: paragraphs(
				facts(
					["Community", textAt(json, "post_view.community.name")],
					["Author", textAt(json, "post_view.creator.name")],
					["Score", numberAt(json, "post_view.counts.score")],
					["Link", textAt(json, "post_view.post.url")],
				),
				textAt(json, "post_view.post.body"),
				section("Comments", comments.join("\n\n")),
			),
		};
	},
};

const twitter: SiteReader = {
	name: "X",
	hosts: ["x.com", "www.x.com", "twitter.com", "www.twitter.com", "mobile.twitter.com"],
	async read({ parts: [user, kind, id = ""] }, io) {
		if (user === undefined || kind !== "status" || !/^\d+$/.test(id)) return undefined;
		const address = encodeURIComponent(`https://x.com/${user}/status/${id}`);
		const json = await io.json(`https://publish.x.com/oembed?omit_script=1&dnt=true&url=${address}`);
		const author = textAt(json, "author_name");
		return { title: author === "" ? "" : `Post of ${author}`, text: await io.markdown(textAt(json, "html")) };
	},
};

export const discussions: readonly SiteReader[] = [
	stackExchange,
	hackerNews,
	lobsters,
	reddit,
	discourse,
	devTo,
	mastodon,
	bluesky,
	lemmy,
	twitter,
];
