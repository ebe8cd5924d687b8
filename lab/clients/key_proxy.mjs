// Passes requests on to a server with an API key: the conformance suite cannot send one itself.
// usage: key_proxy.mjs   (environment: IBIDEM_URL, IBIDEM_KEY); prints its own address
import http from 'node:http';

const server = new URL(process.env.IBIDEM_URL);
const proxy = http.createServer((request, response) => {
  const headers = { ...request.headers, authorization: `Bearer ${process.env.IBIDEM_KEY}` };
  const { method, url: path } = request;
  const passed = http.request({ host: server.hostname, port: server.port, method, path, headers }, (reply) => {
    response.writeHead(reply.statusCode, reply.headers);
    reply.pipe(response);
  });
  passed.on('error', () => response.destroy());
  response.on('close', () => passed.destroy());
  request.pipe(passed);
});
proxy.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${proxy.address().port}`));
