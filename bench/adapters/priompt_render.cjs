// priompt's render: every candidate a scope with its priority, in one user message. Same files as pack.py.
const { readFileSync, writeFileSync } = require("node:fs");
const { createElement, render, UserMessage, promptToOpenAIChatMessages } = require("@impowering/priompt");
const tokenizers = require("@impowering/priompt/dist/tokenizer.js");

async function main() {
  const [asked, reply] = process.argv.slice(2);
  const request = JSON.parse(readFileSync(asked, "utf8"));
  const tokenizer = tokenizers.getTokenizerByName_ONLY_FOR_OPENAI_TOKENIZERS("cl100k_base");
  const scopes = request.items.map((item) =>
    createElement("scope", { p: Math.round(item.value * 1e6) + 1 }, `${item.text}\n`),
  );
  const prompt = createElement(UserMessage, {}, `${request.question}\n`, ...scopes);
  await tokenizer.numTokens("warm");
  const before = process.memoryUsage().rss;
  const cpu = process.cpuUsage();
  const start = process.hrtime.bigint();
  const rendered = await render(prompt, { tokenLimit: request.budget, tokenizer, countTokensFast_UNSAFE: false });
  const spent = process.cpuUsage(cpu);
  const wall = Number(process.hrtime.bigint() - start) / 1e9;
  const messages = promptToOpenAIChatMessages(rendered.prompt).map((message) => [message.role, message.content]);
  const memory = (process.resourceUsage().maxRSS * 1024 - before) / 1e6;
  const cpuSeconds = (spent.user + spent.system) / 1e6;
  writeFileSync(reply, JSON.stringify({ messages, claimed: rendered.tokenCount, cpu: cpuSeconds, wall, memory }));
}

main();
