// The inspector of the Model Context Protocol, over HTTP and through `ibidem mcp`: every tool, and a document.
// usage: inspector.mjs EXPECTED INSPECTOR IBIDEM
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { expected, key, run, url } from './checks.mjs';

const [inspector, ibidem] = process.argv.slice(3);
const ways = {
  'over HTTP': [`${url}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${key}`],
  'through ibidem mcp': ['-e', `IBIDEM__AGENTS__KEY=${key}`, ibidem, 'mcp', '--url', url],
};
const called = (way, ...more) => {
  const said = execFileSync(inspector, ['--cli', ...ways[way], ...more], { encoding: 'utf8', timeout: 180_000 });
  return JSON.parse(said);
};
const tool = (way, name, given) => {
  const options = Object.entries(given).flatMap(([argument, value]) => ['--tool-arg', `${argument}=${value}`]);
  return called(way, '--method', 'tools/call', '--tool-name', name, ...options);
};

const checks = {};
for (const way of Object.keys(ways)) {
  checks[`tools, their results and a document ${way}`] = async () => {
    const { tools } = called(way, '--method', 'tools/list');
    const names = ['ask', 'search', 'read_passage', 'define_term', 'verify_claim', 'list_documents'];
    assert.deepEqual(tools.map((one) => one.name), names);
    for (const one of [expected.answered, expected.refused]) {
      const { content, structuredContent, isError } = tool(way, 'ask', { query: one.question });
      assert.equal(isError ?? false, false);
      assert.deepEqual([structuredContent.answer, structuredContent.refused], [one.answer, one.refused]);
      assert.equal(content[0].text, one.text);
    }
    const [hit] = tool(way, 'search', { query: 'annual leave', limit: 1 }).structuredContent.hits;
    const passage = tool(way, 'read_passage', { source_id: hit.source_id }).structuredContent;
    assert.equal(passage.text, hit.text);
    const { documents } = tool(way, 'list_documents', { limit: 50 }).structuredContent;
    assert.ok(documents.some((document) => document.document_id === hit.document_id));
    const claim = tool(way, 'verify_claim', { claim: 'Tungsten melts at 12 degrees.' }).structuredContent;
    assert.notEqual(claim.verdict, 'supported');
    assert.ok('refused' in tool(way, 'define_term', { term: 'annual leave' }).structuredContent);
    // The inspector ends with an error where a tool says that it could not do something.
    assert.throws(() => tool(way, 'read_passage', { source_id: '../keys' }), /tool_is_error/);
    const { resourceTemplates } = called(way, '--method', 'resources/templates/list');
    assert.equal(resourceTemplates[0].uriTemplate, 'ibidem://documents/{document_id}');
    const uri = `ibidem://documents/${hit.document_id}`;
    const read = called(way, '--method', 'resources/read', '--uri', uri);
    assert.ok(read.contents[0].text.includes(hit.text.split('\n')[0]));
  };
}
await run('mcp inspector', checks);
