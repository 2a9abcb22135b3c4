"""Passwords in files of many formats. The surroundings are real; the passwords are generated.

`§` stands for a password that is a plain word, `¤` and `¶` for generated values. So this file
contains no secret, and no scanner reports one.
"""

from __future__ import annotations

import base64
import random
import string

_CONSONANTS, _VOWELS = "bdfgklmnprtv", "aeiou"


def word(seed: int, syllables: int = 4) -> str:
    """Return a pronounceable word that is on no list of placeholders: `morikade`."""
    chance = random.Random(seed)
    return "".join(chance.choice(_CONSONANTS) + chance.choice(_VOWELS) for _ in range(syllables))


def token(seed: int, length: int = 40) -> str:
    """Return random letters and digits, as in a session or a key."""
    return "".join(random.Random(seed).choices(string.ascii_letters + string.digits, k=length))


def filled(text: str, seed: int, secret: str = "") -> str:
    """Fill a text of the table with a password and a value, or with `secret` for both."""
    text = text.replace("¶", secret or base64.b64encode(word(seed, 6).encode()).decode())
    return text.replace("§", secret or word(seed)).replace("¤", secret or token(seed))


CODE = {
    "python": 'def connect():\n    password = "§"\n    return db.open("h", password)\n',
    "python, single quotes": "PASSWORD = '§'\n",
    "python, annotated": 'password: str = "§"\n',
    "python, optional": 'smtp_password: Optional[str] = "§"\n',
    "python, bytes": "PASSPHRASE = b'§'\n",
    "python, keyword": 'conn = connect(host="db", user="app", password="§", timeout=3)\n',
    "python, default": 'DB_PASSWORD = os.environ.get("DB_PASSWORD", "§")\n',
    "python, or": 'db_password = os.environ.get("DB_PASSWORD") or "§"\n',
    "python, dict": "DATABASES = {'default': {'USER': 'app', 'PASSWORD': '§', 'HOST': 'db'}}\n",
    "python, item": 'app.config["MAIL_PASSWORD"] = "§"\n',
    "python, argparse": 'parser.add_argument("--password", type=str, default="§")\n',
    "python, auth pair": 'requests.get(url, auth=("admin", "§"), timeout=3)\n',
    "python, basic auth": 'session.auth = HTTPBasicAuth("admin", "§")\n',
    "python, smtp": 'server.login("me@example.org", "§")\n',
    "python, dsn": 'psycopg2.connect("host=db port=5432 user=app password=§ dbname=app")\n',
    "python, passcode": 'door.passcode = "§"\n',
    "java": 'private static final String DB_PASSWORD = "§";\n',
    "java, put": 'props.put("mail.smtp.password", "§");\n',
    "java, property": 'System.setProperty("javax.net.ssl.trustStorePassword", "§");\n',
    "java, setter": 'dataSource.setPassword("§");\n',
    "java, builder": 'client = Client.builder().user("app").password("§").build();\n',
    "java, array": 'char[] password = "§".toCharArray();\n',
    "java, connection": 'DriverManager.getConnection(URL, "sa", "§");\n',
    "java, jdbc": 'String url = "jdbc:mysql://db:3306/app?user=root&password=§&useSSL=false";\n',
    "kotlin": 'val dbPassword: String = "§"\n',
    "kotlin, short": 'val dbPass = "§"\n',
    "gradle": "storePassword '§'\n",
    "go": 'cfg := Config{User: "app", Password: "§"}\n',
    "go, short": 'pwd := "§"\n',
    "go, const": 'const adminPassword = "§"\n',
    "go, basic auth": 'req.SetBasicAuth("bob", "§")\n',
    "rust": 'let password: &str = "§";\n',
    "rust, static": 'static DB_PASSWORD: &\'static str = "§";\n',
    "rust, owned": 'let password = String::from("§");\n',
    "rust, fallback": 'let pw = std::env::var("PW"); let password = "§".to_owned();\n',
    "c": 'const char *password = "§";\n',
    "c, array": 'static char wifi_password[] = "§";\n',
    "c, define": '#define WIFI_PASS "§"\n',
    "c#": 'var cs = "Server=db;User Id=sa;Password=§;Encrypt=True";\n',
    "c#, pwd": 'var cs = "Server=db;Uid=sa;Pwd=§;";\n',
    "c#, credential": 'client.Credentials = new NetworkCredential("user", "§");\n',
    "javascript": "const config = { user: 'x', password: '§' };\n",
    "javascript, pass": "auth: { user: 'me@example.org', smtp_pass: '§' },\n",
    "javascript, fallback": "const dbPassword = process.env.DB_PASSWORD || '§';\n",
    "javascript, nullish": 'password: process.env.DB_PASSWORD ?? "§",\n',
    "typescript": 'const password: string = "§";\n',
    "jsx": '<Login user="admin" password="§" />\n',
    "ruby": "  :password => '§',\n",
    "ruby, new": 'password: "§",\n',
    "ruby, call": "http.basic_auth 'jane', '§'\n",
    "ruby, fetch": 'ENV.fetch("DB_PASSWORD", "§")\n',
    "php": "$password = '§';\n",
    "php, define": "define('DB_PASSWORD', '§');\n",
    "php, array": "'password' => '§',\n",
    "php, env": "'password' => env('DB_PASSWORD', '§'),\n",
    "php, mysqli": 'mysqli_connect("localhost", "app", "§", "db");\n',
    "php, new mysqli": '$db = new mysqli("localhost", "app", "§");\n',
    "php, ldap": 'ldap_connect($h); ldap_bind($c, "cn=admin,dc=x", "§");\n',
    "rust, credentials": 'Credentials::new("jane".to_string(), "§".to_string());\n',
    "go, ssh": 'Auth: []ssh.AuthMethod{ssh.Password("§")},\n',
    "php, item": "$cfg['Servers'][$i]['password'] = '§';\n",
    "perl": 'my $dbh = DBI->connect("dbi:mysql:app", "root", "§");\n',
    "scala": 'val conf = Map("password" -> "§")\n',
    "swift": 'let password: String = "§"\n',
    "lua": 'local passwd = "§"\n',
    "elixir": 'config :app, Repo, username: "app", password: "§"\n',
    "powershell": '$Password = "§"\n',
    "powershell, secure": 'ConvertTo-SecureString "§" -AsPlainText -Force\n',
    "terraform": 'resource "db" "x" {\n  username = "admin"\n  password = "§"\n}\n',
    "terraform, variable": 'variable "db_password" {\n  type = string\n  default = "§"\n}\n',
    "notebook": '"source": ["password = \\"§\\"\\n"]\n',
    "json in a string": 'body := "{\\"user\\":\\"app\\",\\"password\\":\\"§\\"}"\n',
    "shell": "#!/bin/sh\npassword=§\necho $password\n",
    "shell, quoted": 'DB_PASS="§"\n',
    "shell, default": "PGPASSWORD=${PGPASSWORD:-§} psql\n",
    "batch": "set DB_PASSWORD=§\r\n",
}

SETTINGS = {
    ".env": "DB_HOST=db\nDB_PASS=§\nDB_PORT=5432\n",
    "yaml": "db:\n  host: db\n  user: app\n  password: §\n",
    "yaml, alone": "password: §\n",
    "yaml, quoted": "db:\n  password: '§'\n",
    "yaml, comment": "db:\n  user: app\n  password: § # ask Ann\n",
    "yaml, upper case": "environment:\n  POSTGRES_USER: app\n  POSTGRES_PASSWORD: §\n",
    "yaml, short": "smtp:\n  host: mail\n  smtp_pass: §\n",
    "compose": "    environment:\n      - MYSQL_ROOT_PASSWORD=§\n",
    "ansible": "- hosts: all\n  vars:\n    ansible_user: root\n    ansible_become_pass: §\n",
    "ansible, inventory": "web1 ansible_host=10.0.0.1 ansible_user=root ansible_ssh_pass=§\n",
    "kubernetes, env": "env:\n  - name: DB_PASSWORD\n    value: §\n",
    "task definition": '"environment": [\n  {\n    "name": "DB_PASSWORD",\n    "value": "§"\n  }\n]\n',
    "task definition, value first": '{"value": "§", "name": "DB_PASSWORD"}\n',
    "yaml, item": "env: [{ name: 'DB_PASSWORD', value: '§' }]\n",
    "yaml, block": "smtp:\n  password: |\n    §\n  port: 25\n",
    "kubernetes, data": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: app\ndata:\n  thing: ¶\n",
    "kubernetes, kind below": "data:\n  thing: ¶\nkind: Secret\n",
    "kubernetes, cut": 'metadata:\n  name: app-secret\ndata:\n  a.b: ¶\n  c: "¶"\n',
    "kubernetes, stringData": "kind: Secret\nstringData:\n  cfg: §\n",
    "kubernetes, stringData cut": "type: Opaque\nstringData:\n  cfg: '§'\n",
    "kubernetes, block": "kind: Secret\nstringData:\n  app.conf: |\n    §\n  other: §\n",
    "kubernetes, list": "kind: List\nitems:\n- kind: ConfigMap\n  data:\n    a: b\n- kind: Secret\n  data:\n    a: ¶\n",
    "kubernetes, json": '{"kind": "Secret", "data": {"thing": "¶"}}\n',
    "kubernetes, terraform": 'resource "kubernetes_secret" "x" {\n  data = {\n    thing = "§"\n  }\n}\n',
    "properties": "spring.datasource.url=jdbc:h2:mem\nspring.datasource.password=§\n",
    "properties, spaces": "db.url = jdbc:mysql://db/app\ndb.password = §\n",
    "properties, default": "spring.datasource.password=${DB_PASSWORD:§}\n",
    "ini": "[client]\nuser = root\npassword = §\n",
    "ini, tight": "[client]\nuser=root\npassword=§\n",
    "toml": '[db]\nuser = "app"\npassword = "§"\n',
    "hcl": 'db {\n  password = "§"\n}\n',
    "json": '{\n  "user": "app",\n  "password": "§"\n}\n',
    "xml": "<server><username>u</username><password>§</password></server>\n",
    "xml, attribute": '<user username="tomcat" password="§" roles="admin"/>\n',
    "xml, property": '<property name="hibernate.connection.password" value="§"/>\n',
    "xml, property text": '<property name="hibernate.connection.password">§</property>\n',
    "xml, bean": '<property name="password"><value>§</value></property>\n',
    "xml, hadoop": "<property>\n  <name>javax.jdo.option.ConnectionPassword</name>\n  <value>§</value>\n</property>\n",
    "xml, unattended": "<Password>\n  <Value>§</Value>\n</Password>\n",
    "plist": "<key>Password</key>\n<string>§</string>\n",
    "url": "DATABASE=postgres://app:§@db:5432/app\n",
    "url, http": "proxy = http://admin:§@proxy:3128/\n",
    "odbc": '"Driver={PostgreSQL};Server=db;Uid=app;Pwd=§;"\n',
    ".netrc": "machine example.org login jane password §\n",
    ".pgpass": "db:5432:app:jane:§\n",
    ".npmrc": "//registry/:_password=¶\n",
    "docker login": '{"auths": {"r": {"auth": "¶"}}}\n',
    "redis": "port 6379\nrequirepass §\n",
    "slapd": "rootdn cn=admin\nrootpw §\n",
    "kickstart": "rootpw --plaintext §\n",
    "preseed": "d-i passwd/root-password password §\n",
    "haproxy": "userlist u\n  user admin insecure-password §\n",
    "router": "username admin privilege 15 password 0 §\n",
    "msmtp": "host mail\nuser jane\npassword §\n",
    "csv": "user,password\nbob,§\nann,x\n",
    "csv, header of a chunk": "user | password\nbob,§\n",
    "markdown, table": "| user | password |\n|---|---|\n| root | § |\n",
    "markdown": "Log in as `admin` with the password `§`.\n",
    "cloud-init": "chpasswd: {expire: false}\npassword: §\n",
}

COMMANDS = {
    "curl": "curl -u admin:§ https://example.org/\n",
    "curl, long": "curl --user 'admin:§' https://example.org/\n",
    "mysql": "mysql -h db -uroot -p§ app\n",
    "mysql, long": "mysqldump --user=root --password=§ app\n",
    "psql": "PGPASSWORD=§ psql -h db -U app\n",
    "sshpass": "sshpass -p '§' ssh root@h\n",
    "wget": "wget --user=me --password=§ https://example.org/x\n",
    "option": "svn checkout --username me --password § https://example.org/r\n",
    "docker": "docker login -u me -p § r.example.org\n",
    "docker, stdin": 'echo "§" | docker login -u me --password-stdin\n',
    "docker, env": "docker run -d -e POSTGRES_PASSWORD=§ postgres:16\n",
    "chpasswd": "echo 'root:§' | chpasswd\n",
    "sudo": "echo § | sudo -S true\n",
    "htpasswd": "htpasswd -bc /etc/nginx/users admin §\n",
    "openssl": "openssl rsa -in k.pem -passin pass:§ -out o.pem\n",
    "keytool": "keytool -genkey -keystore k.jks -storepass § -keypass §\n",
    "redis": "redis-cli -h db -a § ping\n",
    "mongo": "mongosh -u root -p § --host db\n",
    "ldap": "ldapsearch -D cn=admin -w § -b dc=x\n",
    "sqlcmd": "sqlcmd -S db -U sa -P § -Q 'select 1'\n",
    "sqlplus": "sqlplus system/§@db\n",
    "smb": "smbclient //h/share -U jane%§\n",
    "mount": "mount -t cifs //h/s /mnt -o username=jane,password=§\n",
    "rabbitmq": "rabbitmqctl add_user app §\n",
    "putty": "plink -ssh root@h -pw § ls\n",
    "zip": "zip -r -P § out.zip dir\n",
    "kubectl": "kubectl create secret generic x --from-literal=user=§ \\\n  --from-literal=thing=§\n",
    "helm": "helm install --set db.password=§ x\n",
    "sql, identified": "CREATE USER 'a'@'%' IDENTIFIED BY '§';\n",
    "sql, oracle": "CREATE USER app IDENTIFIED BY §;\n",
    "sql, role": "ALTER ROLE app WITH PASSWORD '§';\n",
    "sql, login": "CREATE LOGIN app WITH PASSWORD = N'§';\n",
    "sql, set": "SET PASSWORD FOR 'a' = PASSWORD('§');\n",
    "sql, option": "CREATE USER MAPPING FOR a SERVER s OPTIONS (user 'b', password '§');\n",
}

COOKIES = {
    "request": "GET / HTTP/1.1\nCookie: session=¤\n",
    "response": "Set-Cookie: JSESSIONID=¤; Path=/; HttpOnly\n",
    "python": 'headers = {"Cookie": "sessionid=¤"}\n',
    "python, dict": 'requests.get(url, cookies={"sessionid": "¤"})\n',
    "python, item": 'headers["Cookie"] = "sid=¤"\n',
    "curl": "curl -b 'PHPSESSID=¤' https://example.org/\n",
    "curl, long": "curl --cookie 'sid=¤' https://example.org/\n",
    "curl, header": "curl -H 'Cookie: auth_token=¤' https://example.org/\n",
    "har": '{"name": "Cookie", "value": "sid=¤"}\n',
    "har, cookies": '"cookies": [{"name": "JSESSIONID", "value": "¤"}]\n',
    "java": 'response.addCookie(new Cookie("SESSION", "¤"));\n',
    "jar": "# Netscape HTTP Cookie File\nexample.org\tFALSE\t/\tTRUE\t1893456000\tsid\t¤\n",
    "php": "document.cookie = 'laravel_session=¤';\n",
}

SIGNATURES = {
    "jwt": "jwt.sign(payload, '¤');\n",
    "hmac": 'Algorithm a = Algorithm.HMAC256("¤");\n',
    "header": 'curl -H "PRIVATE-TOKEN: ¤" https://example.org/\n',
    "fallback": 'const t = process.env.TOKEN ?? "¤";\n',
    "app key": 'provider "x" { app_key = "¤" }\n',
}

ALL = {
    f"{group}: {kind}": text
    for group, table in (
        ("code", CODE),
        ("settings", SETTINGS),
        ("commands", COMMANDS),
        ("cookies", COOKIES),
        ("signatures", SIGNATURES),
    )
    for kind, text in table.items()
}
