/** Reads the accessibility trees of a page and its frames, and joins them into one. */
import type {
	CDPSession,
	Frame,
	JSHandle,
	Page,
	Protocol,
} from "puppeteer-core/internal/puppeteer-core-browser.js";

import { limits } from "../limits.ts";
import { handleInFrame, inFrame } from "../page/in-page.ts";

type AxNode = Protocol.Accessibility.AXNode;

export type Drag = "draggable" | "drop target";

/** One node that a user can perceive; roles are those of ARIA, and Chrome's own where there is none. */
export interface TreeNode {
	readonly role: string;
	readonly name: string;
	readonly value: string;
	readonly backendNodeId: number;
	readonly frame: Frame;
	/** Looks as if a click did something, whatever its role is. */
	readonly isClickable: boolean;
	/** What a drag can do with it. */
	readonly drag?: Drag;
	readonly properties: ReadonlyMap<string, unknown>;
	children: TreeNode[];
}

export interface PageTree {
	readonly roots: readonly TreeNode[];
	/** Why something is missing. */
	readonly notes: readonly string[];
}

export async function readTree(page: Page): Promise<PageTree> {
	const reading = { notes: new Set<string>(), frames: 0 };
	const roots = await readFrame(page.mainFrame(), reading);
	return { roots, notes: [...reading.notes] };
}

interface Reading {
	readonly notes: Set<string>;
	frames: number;
}

async function readFrame(frame: Frame, reading: Reading): Promise<TreeNode[]> {
	reading.frames++;
	const survey = await inFrame(frame, "survey", limits.styledElements, limits.clickables);
	const { elements } = survey;
	const isLarge = elements > limits.treeElements;
	if (isLarge)
		reading.notes.add(
			`The page has ${elements} elements: only visible ones are listed. Scroll, or use the view text.`,
		);
	if (isLarge) return await visibleNodes(frame);
	const [nodes, clickable, drags] = await Promise.all([
		wholeTree(frame),
		survey.clickables > 0 ? new Set(await listed(frame, "clickables")) : new Set<number>(),
		survey.draggables > 0 ? dragParts(frame) : new Map<number, Drag>(),
	]);
	const { roots, owners } = assemble(nodes, frame, { clickable, drags });
	for (const child of owners.size === 0 ? [] : frame.childFrames()) {
		if (reading.frames >= limits.frames) {
			reading.notes.add(`Only the first ${limits.frames} frames were read.`);
			break;
		}
		// A frame that disappears meanwhile, or that is not shown, has no part in the look.
		const owner = await frame.client.send("DOM.getFrameOwner", { frameId: child._id }).catch(() => undefined);
		const node = owner && owners.get(owner.backendNodeId);
		if (node) node.children = await readFrame(child, reading).catch(() => []);
	}
	return roots;
}

async function wholeTree({ client, _id }: Frame): Promise<AxNode[]> {
	return (await client.send("Accessibility.getFullAXTree", { frameId: _id })).nodes;
}

/** A tree of a million nodes would take minutes: of such a page, the controls on the screen. */
async function visibleNodes(frame: Frame): Promise<TreeNode[]> {
	const { client } = frame;
	const found = await handleInFrame(frame, "visibleControls", limits.visibleElements);
	const items = await itemsOf(found, client);
	const nodes: Promise<TreeNode>[] = [];
	for (let at = 0; at + 3 < items.length; at += 4) {
		const [element, ...texts] = items.slice(at, at + 4);
		const [role = "", name = "", value = ""] = texts.map((item) => String(item?.value ?? ""));
		nodes.push(
			backendNode(client, element?.objectId).then((backendNodeId) => ({
				role,
				name,
				value,
				backendNodeId,
				frame,
				isClickable: role === "generic",
				properties: new Map(),
				children: [],
			})),
		);
	}
	const made = await Promise.all(nodes);
	await found.dispose();
	return made;
}

async function backendNode(client: CDPSession, objectId = ""): Promise<number> {
	return (await client.send("DOM.describeNode", { objectId })).node.backendNodeId;
}

/** Elements of a list that the page's script returns, such as those that only their cursor tells from a text. */
async function listed(frame: Frame, name: "clickables" | "draggables"): Promise<number[]> {
	const { client } = frame;
	const found = await handleInFrame(frame, name, limits.draggables);
	const items = await itemsOf(found, client);
	const nodes = await Promise.all(items.map(({ objectId }) => backendNode(client, objectId)));
	await found.dispose();
	return nodes;
}

/** What can be dragged, and where it can be dropped: on elements that listen for it. */
async function dragParts(frame: Frame): Promise<Map<number, Drag>> {
	const { client } = frame;
	const handle = await handleInFrame(frame, "body");
	const body = await backendNode(client, handle.remoteObject().objectId);
	await handle.dispose();
	// Listeners belong to the world of the page.
	const { object } = await client.send("DOM.resolveNode", { backendNodeId: body });
	const objectId = object.objectId ?? "";
	const { listeners } = await client.send("DOMDebugger.getEventListeners", { objectId, depth: -1 });
	await client.send("Runtime.releaseObject", { objectId });
	// The whole page may listen, too, for what bubbles up to it.
	const targets = listeners.flatMap(({ type, backendNodeId = body }) =>
		/^(?:drop|dragover)$/.test(type) && backendNodeId !== body ? [backendNodeId] : [],
	);
	return new Map<number, Drag>([
		...targets.slice(0, limits.draggables * 2).map((node) => [node, "drop target"] as const),
		...(await listed(frame, "draggables")).map((node) => [node, "draggable"] as const),
	]);
}

/** The members of a list in the page. */
async function itemsOf(list: JSHandle, client: CDPSession): Promise<Protocol.Runtime.RemoteObject[]> {
	const { objectId } = list.remoteObject();
	if (objectId === undefined) return [];
	const { result } = await client.send("Runtime.getProperties", { objectId, ownProperties: true });
	return result.flatMap(({ name, value }) => (/^\d+$/.test(name) ? (value ?? []) : []));
}

/** Ignored nodes are replaced by their children. `owners` are the elements that contain frames. */
function assemble(
	nodes: readonly AxNode[],
	frame: Frame,
	{ clickable, drags }: { clickable: ReadonlySet<number>; drags: ReadonlyMap<number, Drag> },
): { roots: TreeNode[]; owners: Map<number, TreeNode> } {
	const byId = new Map(nodes.map((node) => [node.nodeId, node]));
	const children = new Set(nodes.flatMap(({ childIds }) => childIds ?? []));
	const owners = new Map<number, TreeNode>();
	const build = (node: AxNode): TreeNode[] => {
		const below = (node.childIds ?? []).flatMap((id) => {
			const child = byId.get(id);
			return child ? [child] : [];
		});
		const isClickable = clickable.has(node.backendDOMNodeId ?? 0);
		const drag = drags.get(node.backendDOMNodeId ?? 0);
		if (node.ignored && !isClickable && !drag) return below.flatMap(build);
		const made = treeNode(node, frame, { isClickable, ...(drag ? { drag } : {}) });
		// The pieces of a text line by line say nothing that the text does not say.
		if (made.role !== "StaticText") made.children = below.flatMap(build);
		if (made.role === "Iframe") owners.set(made.backendNodeId, made);
		return [made];
	};
	const roots = nodes.filter(({ nodeId }) => !children.has(nodeId)).flatMap(build);
	return { roots, owners };
}

function treeNode(node: AxNode, frame: Frame, use: Pick<TreeNode, "isClickable" | "drag">): TreeNode {
	return {
		role: textOf(node.role),
		name: textOf(node.name),
		value: textOf(node.value),
		backendNodeId: node.backendDOMNodeId ?? 0,
		frame,
		...use,
		properties: new Map((node.properties ?? []).map(({ name, value }) => [name, value.value])),
		children: [],
	};
}

function textOf(value: Protocol.Accessibility.AXValue | undefined): string {
	const text: unknown = value?.value;
	return typeof text === "string" ? text : typeof text === "number" ? String(text) : "";
}
